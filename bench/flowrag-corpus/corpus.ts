import { passageOf } from './passages.ts';
import { askQuestions, type Question } from './questions.ts';
import { Choices } from './random.ts';
import { inventWorld, type Page, type World } from './world.ts';

export interface CorpusDocument {
  id: string;
  title: string;
  text: string;
}

export interface CorpusQuestion {
  question: string;
  kind: string;
  gold: string[];
}

export interface Corpus {
  documents: CorpusDocument[];
  questions: CorpusQuestion[];
}

export interface CorpusPlan {
  seed: number;
  families: number;
  questions: number;
  kinds: readonly Question['kind'][];
  /** How many pages the collection holds for each question, gold ones included. */
  pagesPerQuestion: number;
}

/** An encyclopaedia of invented pages: the pages that questions need, and those most easily mistaken for them. */
export function makeCorpus(plan: CorpusPlan): Corpus {
  const choices = new Choices(plan.seed);
  const world = inventWorld(choices, plan.families);
  const pages = pagesOf(world);
  const texts = new Map(pages.map((page) => [page, passageOf(page, choices)]));
  const tells = (page: Page, next: Page) => (texts.get(page) ?? '').includes(next.kind === 'person' ? next.surname : next.name);
  const questions = askQuestions(world, choices, plan.questions, plan.kinds, tells);
  const chosen = new Set<Page>(questions.flatMap((question) => question.gold));
  const similar = similarPages(pages, texts);
  for (const question of questions) {
    let room = plan.pagesPerQuestion - question.gold.length;
    for (const page of similar(question.text, plan.pagesPerQuestion * 2)) {
      if (room <= 0) break;
      if (chosen.has(page)) continue;
      chosen.add(page);
      room--;
    }
  }
  const order = choices.shuffled([...chosen]);
  const ids = new Map(order.map((page, index) => [page, `d${index}`]));
  return {
    documents: order.map((page) => ({ id: ids.get(page) as string, title: page.title, text: texts.get(page) as string })),
    questions: questions.map(({ text, kind, gold }) => ({ question: text, kind, gold: gold.map((page) => ids.get(page) as string) })),
  };
}

function pagesOf(world: World): Page[] {
  return [
    ...world.people,
    ...world.places,
    ...world.regions,
    ...world.schools,
    ...world.companies,
    ...world.films,
    ...world.novels,
    ...world.bands,
    ...world.albums,
    ...world.songs,
  ];
}

/** Pages that share rare words with a question, by a plain inverse-frequency sum. */
function similarPages(pages: readonly Page[], texts: ReadonlyMap<Page, string>): (question: string, most: number) => Page[] {
  const words = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\d]+/gu) ?? []);
  const postings = new Map<string, Page[]>();
  for (const page of pages) {
    for (const word of words(`${page.title} ${texts.get(page) ?? ''}`)) {
      const list = postings.get(word);
      if (list) list.push(page);
      else postings.set(word, [page]);
    }
  }
  return (question, most) => {
    const scores = new Map<Page, number>();
    for (const word of words(question)) {
      const list = postings.get(word) ?? [];
      if (list.length > pages.length / 5) continue;
      for (const page of list) scores.set(page, (scores.get(page) ?? 0) + Math.log(pages.length / list.length));
    }
    return [...scores]
      .sort((a, b) => b[1] - a[1])
      .slice(0, most)
      .map(([page]) => page);
  };
}
