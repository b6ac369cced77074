export type Status = 'open' | 'completed' | 'archived';
export type Priority = 'low' | 'medium' | 'high';

/** A todo to be, with the arguments of create_todo. */
export interface NewTodo {
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

/** Which todos somebody speaks of. */
export type Reference =
  | { by: 'name'; name: string; exact?: boolean }
  /** "the groceries ones": all that have to do with it. */
  | { by: 'topic'; topic: string; filter?: Filter }
  /** Places in the list that was shown last, from 1; negative ones count from its end. */
  | { by: 'place'; places: number[] }
  | { by: 'age'; which: 'oldest' | 'newest'; count: number; shown: boolean }
  | { by: 'focus'; many: boolean }
  /** `one`: "the overdue one", of which there should be no other. */
  | { by: 'all'; filter: Filter; shown: boolean; one?: true; except?: Reference }
  | { by: 'several'; parts: Reference[]; whole: string }
  | { by: 'nothing' }
  /** "a todo", "something": not said which. */
  | { by: 'any' };

/** What is to become of a todo; only what is given changes. */
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
  /** A time for the day it is due already. */
  time?: { hour: number; minute: number; halfUnsaid?: boolean };
  /** Later by so much than it is due. */
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
  /** Other ways to read it, where a name may contain the word that ends it: "rename go to the gym to …". */
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
  /** Something else was meant than what was done last. */
  | { kind: 'instead'; words: string }
  | { kind: 'small'; which: Small }
  /** Nothing but a name: of a todo that is there, or of one that could be. */
  | { kind: 'name'; name: Reference; todos: NewTodo[] }
  | { kind: 'unknown' };
