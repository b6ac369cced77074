export type Status = 'open' | 'completed' | 'archived';
export type Priority = 'low' | 'medium' | 'high';

/** A new todo, with the arguments of create_todo. */
export interface NewTodo {
  /** Words after a quoted title that mean nothing to us; the reply repeats them. */
  unused?: string;
  title: string;
  description?: string;
  priority?: Priority;
  due?: string;
  tags?: string[];
}

/** The arguments of read_todos. */
export interface Filter {
  status?: Status;
  search?: string;
  priority?: Priority;
  tags?: string[];
  due?: 'overdue' | 'today' | 'week' | 'any' | 'none';
  due_before?: string;
  due_after?: string;
  sort?: 'newest' | 'oldest' | 'due' | 'priority' | 'updated';
  limit?: number;
  offset?: number;
}

/** Which todos somebody means. */
export type Reference =
  | { by: 'name'; name: string; exact?: boolean }
  /** "the groceries ones": all related todos. */
  | { by: 'topic'; topic: string; filter?: Filter }
  /** Places in the list that was shown last, from 1; negative ones count from its end. `titles`: the words, if they may be titles. */
  | { by: 'place'; places: number[]; titles?: string[] }
  | { by: 'age'; which: 'oldest' | 'newest'; count: number; shown: boolean }
  | { by: 'focus'; many: boolean }
  /** `one`: "the overdue one", which should be the only one. */
  | { by: 'all'; filter: Filter; shown: boolean; one?: true; except?: Reference }
  | { by: 'several'; parts: Reference[]; whole: string }
  | { by: 'nothing' }
  /** "a todo", "something": unspecified. */
  | { by: 'any' };

/** Changes to a todo; only the given fields change. */
export interface Edit {
  title?: string;
  /** Other words inside the title. */
  replace?: { from: string; to: string };
  description?: string;
  /** Further words for the description. */
  note?: string;
  priority?: Priority;
  /** One step up or down. */
  priorityStep?: 1 | -1;
  /** A date for the tools, or none. */
  due?: string;
  /** A new time on the day that it is already due. */
  time?: { hour: number; minute: number; halfUnsaid?: boolean };
  /** Later than its due date by this much. */
  shift?: { amount: number; unit: string };
  addTags?: string[];
  removeTags?: string[];
}

export type Change =
  | { kind: 'complete' }
  | { kind: 'reopen' }
  | { kind: 'archive' }
  | { kind: 'delete' }
  | { kind: 'restore' }
  | { kind: 'edit'; edit: Edit };

export type Small = 'greeting' | 'thanks' | 'help' | 'bye' | 'well' | 'who' | 'okay' | 'sorry' | 'how-delete' | 'cannot-redo' | 'correct';

/** What else could have been meant: a new todo, to be asked about unless it is clear. */
export interface Otherwise {
  todos: NewTodo[];
  clear: boolean;
}

export interface Order {
  kind: 'change';
  change: Change;
  target: Reference;
  doubtful?: true;
  otherwise?: Otherwise;
  /** Counts only when a todo has exactly this name; anything else is the new todo of `otherwise`. */
  exactly?: true;
  /** How to read it when no todo has those words. */
  fallback?: Order;
  /** Other ways to read it, if a name may contain the word that ends it: "rename go to the gym to …". */
  readings?: { change: Change; target: Reference }[];
}

export type Intent =
  | { kind: 'create'; todos: NewTodo[]; repeats: boolean; untitled?: Omit<NewTodo, 'title'>; saidBefore?: true }
  /** Something that could be a todo, or not. */
  | { kind: 'maybe-create'; todos: NewTodo[]; reason: 'assistant' | 'statement' }
  | Order
  | { kind: 'read'; filter: Filter; answer: 'list' | 'count' | 'next'; about: string }
  | { kind: 'more' }
  | { kind: 'about'; target: Reference; question: 'due' | 'done' | 'priority' | 'all' }
  | { kind: 'undo' }
  | { kind: 'again' }
  | { kind: 'hands-off' }
  /** The last change was not what the person meant. */
  | { kind: 'instead'; words: string }
  | { kind: 'small'; which: Small }
  /** Just a name: of an existing todo, or of a possible one. */
  | { kind: 'name'; name: Reference; todos: NewTodo[] }
  | { kind: 'unknown' };

export type IntentOf<Kind extends Intent['kind']> = Extract<Intent, { kind: Kind }>;
