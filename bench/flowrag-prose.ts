const VOCABULARY = 20_000;

/** Words of a language that the model knows: made-up words split into many more tokens. */
export const ENGLISH = (
  'the of and to in is that for it with as was on are by this be from or at an which have not had his but they were all one has their ' +
  'service order payment customer system database request message event queue report team process data record account user market value price ' +
  'time year week day hour number part place group problem fact result change level point company country city water history music village river ' +
  'between after before during without under over into through about against every other another first second last new old small large long high ' +
  'writes reads sends holds keeps makes takes gives shows finds tells asks works plays moves lives believes brings happens follows begins seems helps'
).split(' ');

/** Documents that look like prose: words by Zipf's law, names that recur, the same for every run. */
export class Corpus {
  #state: number;
  readonly #words: string[];
  readonly #names: string[];

  /** Made-up words in the number of a real language, unless some are given. */
  constructor(seed = 1, words?: readonly string[], names = 4_000) {
    this.#state = seed;
    const syllables = 'ka lo mi ren ta vor sel du pa ni gor hel ma tis bur en fal zo qui ra ster lan dor vi'.split(' ');
    const word = () =>
      Array.from({ length: 1 + Math.floor(this.random() * 3) }, () => syllables[Math.floor(this.random() * syllables.length)]).join('');
    this.#words = words ? [...words] : Array.from({ length: VOCABULARY }, word);
    this.#names = Array.from({ length: names }, () => `${capital(word())} ${capital(word())}`);
  }

  random(): number {
    this.#state = (this.#state * 1_664_525 + 1_013_904_223) >>> 0;
    return this.#state / 2 ** 32;
  }

  word(): string {
    return this.#words[Math.floor(this.#words.length ** this.random()) - 1] ?? 'ka';
  }

  name(): string {
    return this.#names[Math.floor(this.#names.length ** this.random()) - 1] ?? 'Ka Lo';
  }

  /** Sentences of about this many characters in total. */
  text(characters: number): string {
    let text = '';
    while (text.length < characters) {
      const words = Array.from({ length: 8 + Math.floor(this.random() * 10) }, () => (this.random() < 0.06 ? this.name() : this.word()));
      text += `${capital(words.join(' '))}. `;
    }
    return text.slice(0, characters);
  }

  vector(dimensions: number): Float32Array {
    const vector = Float32Array.from({ length: dimensions }, () => this.random() + this.random() + this.random() - 1.5);
    const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
    return vector.map((value) => value / norm);
  }
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
