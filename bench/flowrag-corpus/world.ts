import type { Choices } from './random.ts';
import {
  ADJECTIVES,
  AWARDS,
  COUNTRIES,
  FEMALE,
  GENRES,
  MALE,
  MUSIC,
  NOUNS,
  OCCUPATIONS,
  PLACE_ENDS,
  PLACE_STARTS,
  SURNAMES,
} from './words.ts';

export interface Thing {
  /** Title of its page; carries a disambiguation in brackets where another page has the same name. */
  title: string;
  /** What running text calls it. */
  name: string;
}

interface Country extends Thing {
  kind: 'country';
  adjective: string;
}

export interface Region extends Thing {
  kind: 'region';
  country: Country;
  seat?: Place;
}

export interface Place extends Thing {
  kind: 'place';
  region: Region;
  population: number;
  river: string;
}

export interface Person extends Thing {
  kind: 'person';
  surname: string;
  female: boolean;
  born: number;
  died: number | null;
  birthDay: string;
  birthplace: Place;
  deathplace: Place | null;
  nationality: Country;
  occupation: string;
  birthName: string | null;
  father?: Person;
  mother?: Person;
  spouse?: Person;
  school?: School;
  /** What they made or took part in, as their page may tell. */
  works: { verb: string; work: Thing; year: number }[];
}

export interface School extends Thing {
  kind: 'school';
  place: Place;
  founded: number;
  founder: Person;
}

export interface Company extends Thing {
  kind: 'company';
  place: Place;
  founder: Person;
  founded: number;
  parent?: Company;
}

export interface Film extends Thing {
  kind: 'film';
  year: number;
  genre: string;
  country: Country;
  director: Person;
  producer: Person;
  stars: Person[];
  studio: Company;
  source?: Novel;
}

export interface Novel extends Thing {
  kind: 'novel';
  year: number;
  author: Person;
  publisher: Company;
}

export interface Band extends Thing {
  kind: 'band';
  members: Person[];
  place: Place;
  formed: number;
  style: string;
}

export interface Album extends Thing {
  kind: 'album';
  performer: Band | Person;
  year: number;
  label: Company;
}

export interface Song extends Thing {
  kind: 'song';
  performer: Band | Person;
  writer: Person;
  album: Album;
  year: number;
}

export type Page = Region | Place | Person | School | Company | Film | Novel | Band | Album | Song;

export interface World {
  people: Person[];
  places: Place[];
  regions: Region[];
  schools: School[];
  companies: Company[];
  films: Film[];
  novels: Novel[];
  bands: Band[];
  albums: Album[];
  songs: Song[];
}

const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];

/** Invents a connected world of people, works and places. `size` is the number of families; pages come to about nine times that. */
export function inventWorld(choices: Choices, size: number): World {
  const titles = new Map<string, number>();
  const titled = (name: string, ...brackets: string[]): Thing => {
    for (const candidate of [name, ...brackets.map((bracket) => `${name} (${bracket})`)]) {
      if (titles.has(candidate)) continue;
      titles.set(candidate, 1);
      return { title: candidate, name };
    }
    const count = (titles.get(name) ?? 1) + 1;
    titles.set(name, count);
    return { title: `${name} (${brackets.at(-1) ?? 'disambiguation'}, ${count})`, name };
  };

  const countries: Country[] = COUNTRIES.map(([name, adjective]) => ({
    kind: 'country',
    title: name.replace(/^the /, ''),
    name,
    adjective,
  }));
  const placeName = () => `${choices.one(PLACE_STARTS)}${choices.one(PLACE_ENDS)}`;

  const regions: Region[] = Array.from({ length: Math.ceil(size / 3) }, () => {
    const country = choices.one(countries);
    const suffix = choices.one([' County', ' Province', ' District', '', ' Department']);
    return { kind: 'region', country, ...titled(`${placeName()}${suffix}`, country.title) };
  });
  const places: Place[] = Array.from({ length: size }, () => {
    const region = choices.one(regions);
    const name = choices.chance(0.12) ? `${choices.one(['New', 'Saint', 'Port', 'Upper', 'Great'])} ${placeName()}` : placeName();
    const place: Place = {
      kind: 'place',
      region,
      population: choices.between(400, 900_000),
      river: `${placeName()} River`,
      ...titled(name, region.country.title, region.name),
    };
    region.seat ??= place;
    return place;
  });

  const people: Person[] = [];
  const person = (female: boolean, born: number, surname: string, home: Place): Person => {
    const first = choices.one(female ? FEMALE : MALE);
    const middle = choices.chance(0.15) ? ` ${choices.one([...MALE.slice(0, 20), 'A.', 'J.', 'W.', 'M.'])}` : '';
    const nobility = choices.chance(0.05) ? ` ${choices.one(['II', 'III', 'IV', 'V'])} of ${placeName()}` : '';
    const name = nobility ? `${first}${nobility}` : `${first}${middle} ${surname}`;
    const occupation = choices.one(OCCUPATIONS);
    const died = choices.chance(0.7) ? born + choices.between(31, 92) : null;
    const made: Person = {
      kind: 'person',
      surname: nobility ? first : surname,
      female,
      born,
      died,
      birthDay: `${choices.between(1, 28)} ${choices.one(MONTHS)} ${born}`,
      birthplace: choices.chance(0.6) ? home : choices.one(places),
      deathplace: died ? choices.one(places) : null,
      nationality: home.region.country,
      works: [],
      occupation,
      birthName: female && choices.chance(0.25) ? `${first} ${choices.one(SURNAMES)}` : null,
      ...titled(name, occupation, `born ${born}`),
    };
    people.push(made);
    return made;
  };
  for (let family = 0; family < size; family++) {
    const home = choices.one(places);
    const surname = choices.one(SURNAMES);
    const born = choices.between(1780, 1950);
    const father = person(false, born, surname, home);
    const mother = person(true, born + choices.between(-3, 8), choices.chance(0.6) ? surname : choices.one(SURNAMES), home);
    father.spouse = mother;
    mother.spouse = father;
    for (let child = choices.between(0, 2); child > 0; child--) {
      const made = person(choices.chance(0.45), born + choices.between(20, 40), surname, home);
      made.father = father;
      made.mother = mother;
    }
  }
  for (const single of people) {
    if (single.spouse || !choices.chance(0.4)) continue;
    const other = choices.one(people);
    if (other.spouse || other === single || Math.abs(other.born - single.born) > 20) continue;
    single.spouse = other;
    other.spouse = single;
  }

  const adults = (year: number) => {
    for (let attempt = 0; attempt < 60; attempt++) {
      const found = choices.one(people);
      if (found.born < year - 20 && found.born > year - 70) return found;
    }
    return choices.one(people);
  };
  const schools: School[] = Array.from({ length: Math.ceil(size / 8) }, () => {
    const place = choices.one(places);
    const founded = choices.between(1820, 1970);
    const name = choices.one([
      `University of ${place.name}`,
      `${place.name} College`,
      `${choices.one(SURNAMES)} Institute`,
      `${choices.one(SURNAMES)} University`,
    ]);
    return { kind: 'school', place, founded, founder: adults(founded), ...titled(name, place.region.country.title) };
  });
  for (const someone of people) if (choices.chance(0.35)) someone.school = choices.one(schools);

  const companies: Company[] = [];
  for (let index = Math.ceil(size / 5); index > 0; index--) {
    const founded = choices.between(1860, 1990);
    const founder = adults(founded);
    const name = `${choices.chance(0.5) ? founder.surname : choices.one([...NOUNS])} ${choices.one(['Pictures', 'Records', 'Press', 'Films', 'Publishing', 'Entertainment', 'Brothers', 'Music Group'])}`;
    const company: Company = { kind: 'company', place: choices.one(places), founder, founded, ...titled(name, 'company') };
    if (choices.chance(0.3) && companies.length > 0) company.parent = choices.one(companies);
    companies.push(company);
  }

  const workName = () =>
    choices.one([
      () => `The ${choices.one(ADJECTIVES)} ${choices.one(NOUNS)}`,
      () => `${choices.one(ADJECTIVES)} ${choices.one(NOUNS)}`,
      () => `${choices.one(NOUNS)} of the ${choices.one(NOUNS)}`,
      () => `The ${choices.one(NOUNS)}`,
      () => `${choices.one(NOUNS)}s`,
      () => choices.one(ADJECTIVES),
      () => `${choices.one([...MALE, ...FEMALE])} and the ${choices.one(NOUNS)}`,
      () => `A ${choices.one(NOUNS)} for ${choices.one([...MALE, ...FEMALE])}`,
      () => `${choices.one(NOUNS)} in ${choices.one(places).name}`,
    ])();
  const novels: Novel[] = Array.from({ length: Math.ceil(size / 2) }, () => {
    const year = choices.between(1830, 2005);
    const author = adults(year);
    author.occupation = 'novelist';
    const novel: Novel = {
      kind: 'novel',
      year,
      author,
      publisher: choices.one(companies),
      ...titled(workName(), 'novel', `${author.surname} novel`),
    };
    author.works.push({ verb: 'wrote the novel', work: novel, year });
    return novel;
  });
  const films: Film[] = Array.from({ length: Math.ceil(size * 1.2) }, () => {
    const year = choices.between(1915, 2018);
    const director = adults(year);
    director.occupation = choices.one(['film director', 'film director and screenwriter']);
    const film: Film = {
      kind: 'film',
      year,
      genre: choices.one(GENRES),
      country: director.nationality,
      director,
      producer: adults(year),
      stars: [adults(year), adults(year), ...(choices.chance(0.5) ? [adults(year)] : [])],
      studio: choices.one(companies),
      ...titled(workName(), 'film', `${year} film`),
    };
    for (const star of film.stars) if (OCCUPATIONS.includes(star.occupation)) star.occupation = star.female ? 'actress' : 'actor';
    if (choices.chance(0.2)) film.source = choices.one(novels);
    director.works.push({ verb: 'directed', work: film, year });
    film.producer.works.push({ verb: 'produced', work: film, year });
    for (const star of film.stars) star.works.push({ verb: 'appeared in', work: film, year });
    return film;
  });
  const bands: Band[] = Array.from({ length: Math.ceil(size / 4) }, () => {
    const formed = choices.between(1960, 2008);
    const members = [adults(formed), adults(formed), adults(formed)];
    for (const member of members)
      if (OCCUPATIONS.includes(member.occupation)) member.occupation = choices.one(['singer', 'guitarist', 'drummer', 'songwriter']);
    const name = choices.one([
      `The ${choices.one(ADJECTIVES)} ${choices.one(NOUNS)}s`,
      `${choices.one(NOUNS)} ${choices.one(NOUNS)}`,
      `${choices.one(NOUNS)}s`,
    ]);
    const band: Band = {
      kind: 'band',
      members,
      place: choices.one(places),
      formed,
      style: choices.one(MUSIC),
      ...titled(name, 'band', `${formed} band`),
    };
    for (const member of members) member.works.push({ verb: 'was a founding member of', work: band, year: formed });
    return band;
  });
  const performer = (year: number) => (choices.chance(0.6) ? choices.one(bands) : adults(year));
  const albums: Album[] = Array.from({ length: Math.ceil(size / 1.6) }, () => {
    const year = choices.between(1962, 2018);
    const by = performer(year);
    const album: Album = {
      kind: 'album',
      performer: by,
      year,
      label: choices.one(companies),
      ...titled(workName(), 'album', `${by.name} album`),
    };
    if (by.kind === 'person') by.works.push({ verb: 'recorded the album', work: album, year });
    return album;
  });
  const songs: Song[] = Array.from({ length: Math.ceil(size / 1.6) }, () => {
    const album = choices.one(albums);
    const writer = adults(album.year);
    const song: Song = {
      kind: 'song',
      album,
      performer: album.performer,
      writer,
      year: album.year,
      ...titled(workName(), 'song', `${album.performer.name} song`),
    };
    writer.works.push({ verb: 'wrote the song', work: song, year: song.year });
    return song;
  });
  return { people, places, regions, schools, companies, films, novels, bands, albums, songs };
}

export function awardName(choices: Choices): string {
  return `${choices.one(AWARDS)} Award for Best ${choices.one(['Picture', 'Actor', 'Novel', 'Album', 'Director', 'Song'])}`;
}
