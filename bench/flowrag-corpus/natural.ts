import type { Corpus } from './corpus.ts';

/** Short passages in natural English about well-known people, works and places, written for this test, with questions that need two or more. */
const PASSAGES: readonly (readonly [title: string, text: string])[] = [
  [
    'The Third Man',
    'The Third Man is a 1949 British film noir directed by Carol Reed and written by Graham Greene, starring Joseph Cotten, Alida Valli, Orson Welles and Trevor Howard. The film is set in post-war Vienna. Its zither score was composed and played by Anton Karas.',
  ],
  [
    'Carol Reed',
    'Sir Carol Reed (30 December 1906 – 25 April 1976) was an English film director and producer. He was born in Putney, the son of the actor-manager Sir Herbert Beerbohm Tree and his mistress, May Reed. He won the Academy Award for Best Director for Oliver! (1968).',
  ],
  [
    'Anton Karas',
    'Anton Karl Karas (7 July 1906 – 10 January 1985) was a Viennese zither player and composer, best known for his soundtrack to The Third Man. He was discovered in a wine tavern and later opened one of his own.',
  ],
  [
    'Herbert Beerbohm Tree',
    'Sir Herbert Beerbohm Tree (17 December 1852 – 2 July 1917) was an English actor and theatre manager. He founded the Royal Academy of Dramatic Art in 1904 and rebuilt His Majesty’s Theatre in the Haymarket.',
  ],
  [
    'Royal Academy of Dramatic Art',
    'The Royal Academy of Dramatic Art (RADA) is a drama school in Gower Street, Bloomsbury, London. It is one of the oldest drama schools in the United Kingdom.',
  ],
  [
    'Graham Greene',
    'Henry Graham Greene (2 October 1904 – 3 April 1991) was an English writer. He was born in Berkhamsted and studied history at Balliol College, Oxford. His novels include Brighton Rock and The Quiet American.',
  ],
  [
    'Berkhamsted',
    'Berkhamsted is a historic market town in Hertfordshire, England, in the Bulbourne valley, 26 miles north-west of London. Its castle received the submission of the English to William the Conqueror.',
  ],
  [
    'The Quiet American',
    'The Quiet American is a 1955 novel set in Saigon during the last years of French rule. Its narrator is the British journalist Thomas Fowler. It was filmed twice.',
  ],
  [
    'The Quiet American (2002 film)',
    'The Quiet American is a 2002 political drama film directed by Phillip Noyce and starring Michael Caine and Brendan Fraser. It is an adaptation of the bestselling novel of the same name.',
  ],
  [
    'Phillip Noyce',
    'Phillip Roger Noyce AO (born 29 April 1950) is an Australian filmmaker. He was born in Griffith, New South Wales, and attended high school at Barker College, Sydney. Rabbit-Proof Fence appeared in the same year as his war-time drama in Vietnam.',
  ],
  [
    'Griffith, New South Wales',
    'Griffith is a major regional city in the Murrumbidgee Irrigation Area in New South Wales. Like the Australian capital, it was designed by Walter Burley Griffin. It was named after Arthur Hill Griffith.',
  ],
  [
    'Walter Burley Griffin',
    'Walter Burley Griffin (November 24, 1876 – February 11, 1937) was an American architect who designed Canberra. He married Marion Mahony, the second woman to graduate in architecture from the Massachusetts Institute of Technology.',
  ],
  [
    'Marion Mahony Griffin',
    'Marion Mahony Griffin (1871–1961) was an American architect and artist. She was one of the first licensed female architects in the world and an original member of the Prairie School. She worked for Frank Lloyd Wright in Oak Park.',
  ],
  [
    'Fallingwater',
    'Fallingwater is a house in the Laurel Highlands of southwest Pennsylvania. Designed by Frank Lloyd Wright in 1935, it was built partly over a waterfall on Bear Run. The client was Edgar J. Kaufmann, owner of a department store in Pittsburgh.',
  ],
  [
    'Frank Lloyd Wright',
    'Frank Lloyd Wright (June 8, 1867 – April 9, 1959) was an American architect who believed in designing in harmony with humanity and the environment. Born in Richland Center, he was raised in rural Wisconsin and later worked in the office of Louis Sullivan.',
  ],
  [
    'Louis Sullivan',
    'Louis Henry Sullivan (September 3, 1856 – April 14, 1924) has been called a father of skyscrapers. Born in Boston to a Swiss-born mother and an Irish-born father, he studied briefly at the Massachusetts Institute of Technology.',
  ],
  [
    'Rumours (album)',
    'Rumours is the eleventh studio album by the British-American rock band Fleetwood Mac, released on 4 February 1977. It was recorded in Sausalito and produced with Ken Caillat and Richard Dashut.',
  ],
  [
    'Fleetwood Mac',
    'Fleetwood Mac are a rock band formed in London in 1967 by the guitarist Peter Green. The name came from the drummer Mick Fleetwood and the bassist John McVie.',
  ],
  [
    'Mick Fleetwood',
    'Michael John Kells Fleetwood (born 24 June 1947) is a British musician. He was born in Redruth, Cornwall, the second child of a Royal Air Force wing commander.',
  ],
  [
    'Redruth',
    'Redruth is a town and civil parish in Cornwall, England. In the 19th century it was at the centre of the tin and copper mining region. William Murdoch lit his house there with coal gas.',
  ],
  [
    'William Murdoch',
    'William Murdoch (21 August 1754 – 15 November 1839) was a Scottish engineer and inventor. He was employed by the firm of Boulton and Watt and is known for the development of gas lighting.',
  ],
  [
    'Things Fall Apart',
    'Things Fall Apart is the debut novel of the Nigerian author Chinua Achebe, first published in 1958 by William Heinemann Ltd. Its title comes from the poem “The Second Coming”.',
  ],
  [
    'The Second Coming (poem)',
    '“The Second Coming” is a poem written by W. B. Yeats in 1919, first printed in The Dial in November 1920. The poem uses Christian imagery to describe the atmosphere of post-war Europe.',
  ],
  [
    'W. B. Yeats',
    'William Butler Yeats (13 June 1865 – 28 January 1939) was an Irish poet and dramatist. He was born in Sandymount. With Lady Gregory he founded the Abbey Theatre. His brother was the painter Jack Butler Yeats.',
  ],
  [
    'Jack Butler Yeats',
    'Jack Butler Yeats RHA (29 August 1871 – 28 March 1957) was an Irish artist. He won a silver medal at the 1924 Summer Olympics for his painting The Liffey Swim.',
  ],
  [
    'Chinua Achebe',
    'Chinua Achebe (16 November 1930 – 21 March 2013) was a Nigerian novelist, poet and critic. He grew up in Ogidi and studied at University College, Ibadan. He later taught at Bard College.',
  ],
  [
    'Bard College',
    'Bard College is a private liberal arts college in Annandale-on-Hudson, New York. The campus overlooks the Hudson River and the Catskill Mountains. It was founded in 1860 as St. Stephen’s College.',
  ],
  [
    'Seven Samurai',
    'Seven Samurai is a 1954 Japanese epic samurai film co-written, edited and directed by Akira Kurosawa. The story takes place in 1586. It stars Takashi Shimura and Toshiro Mifune.',
  ],
  [
    'The Magnificent Seven',
    'The Magnificent Seven is a 1960 American Western film directed by John Sturges. The screenplay transposes a Japanese tale to Mexico. The ensemble cast includes Yul Brynner and Steve McQueen; the score is by Elmer Bernstein.',
  ],
  [
    'John Sturges',
    'John Eliot Sturges (January 3, 1910 – August 18, 1992) was an American film director, known for The Great Escape and Gunfight at the O.K. Corral. He began as an editor at RKO Pictures.',
  ],
  [
    'Akira Kurosawa',
    'Akira Kurosawa (March 23, 1910 – September 6, 1998) was a Japanese filmmaker who directed thirty films. He entered the Japanese film industry in 1936 after a brief stint as a painter.',
  ],
  [
    'Toshiro Mifune',
    'Toshiro Mifune (1 April 1920 – 24 December 1997) was a Japanese actor who appeared in over 150 films. He was born in Tsingtao, China, to Methodist missionaries.',
  ],
  [
    'Danube',
    'The Danube is the second-longest river in Europe, after the Volga. It rises in Donaueschingen in the Black Forest and passes through four national capitals before it empties into the Black Sea.',
  ],
  [
    'Volga',
    'The Volga is the longest river in Europe. Situated in Russia, it flows through Central Russia to Southern Russia and into the Caspian Sea. Its source lies in the Valdai Hills.',
  ],
  [
    'Donaueschingen',
    'Donaueschingen is a town in the Black Forest in the southwest of Baden-Württemberg. It is the seat of a festival of contemporary music founded in 1921.',
  ],
  [
    'Marie Curie',
    'Maria Salomea Skłodowska-Curie (7 November 1867 – 4 July 1934), known as Marie Curie, was a Polish and naturalised-French physicist and chemist. Her elder daughter Irène married Frédéric Joliot.',
  ],
  [
    'Irène Joliot-Curie',
    'Irène Joliot-Curie (12 September 1897 – 17 March 1956) was a French chemist and physicist. Jointly with her husband, she was awarded the Nobel Prize in Chemistry in 1935 for the discovery of induced radioactivity.',
  ],
  [
    'Frédéric Joliot-Curie',
    'Jean Frédéric Joliot-Curie (19 March 1900 – 14 August 1958) was a French physicist. He was the first High Commissioner for Atomic Energy. He was born in Paris and was a graduate of ESPCI Paris.',
  ],
];

const QUESTIONS: readonly (readonly [question: string, ...gold: string[]])[] = [
  ['Who was the father of the director of The Third Man?', 'The Third Man', 'Carol Reed'],
  [
    'Which drama school was founded by the father of the director of The Third Man?',
    'The Third Man',
    'Carol Reed',
    'Herbert Beerbohm Tree',
  ],
  ['In which county is the birthplace of the writer of the film The Third Man?', 'The Third Man', 'Graham Greene', 'Berkhamsted'],
  [
    'Who designed the city where the director of the 2002 film The Quiet American was born?',
    'The Quiet American (2002 film)',
    'Phillip Noyce',
    'Griffith, New South Wales',
  ],
  ['What was the wife of the architect of Canberra known for as one of the first women?', 'Walter Burley Griffin', 'Marion Mahony Griffin'],
  ['Where was the architect of Fallingwater raised?', 'Fallingwater', 'Frank Lloyd Wright'],
  [
    'In which office did the designer of Fallingwater work, and where was its head born?',
    'Fallingwater',
    'Frank Lloyd Wright',
    'Louis Sullivan',
  ],
  ['Where was the drummer of the band that recorded Rumours born?', 'Rumours (album)', 'Fleetwood Mac', 'Mick Fleetwood'],
  ['Which mining region is the birthplace of Mick Fleetwood in?', 'Mick Fleetwood', 'Redruth'],
  ['Who wrote the poem from which Things Fall Apart takes its title?', 'Things Fall Apart', 'The Second Coming (poem)'],
  [
    'What Olympic medal did the brother of the poet of The Second Coming win?',
    'The Second Coming (poem)',
    'W. B. Yeats',
    'Jack Butler Yeats',
  ],
  [
    'In what state is the college where the author of Things Fall Apart later taught?',
    'Things Fall Apart',
    'Chinua Achebe',
    'Bard College',
  ],
  [
    'Who died first, the director of Seven Samurai or the director of The Magnificent Seven?',
    'Seven Samurai',
    'Akira Kurosawa',
    'The Magnificent Seven',
    'John Sturges',
  ],
  ['Which river is longer, the Danube or the Volga?', 'Danube', 'Volga'],
  ['What festival does the town at the source of the Danube hold?', 'Danube', 'Donaueschingen'],
  ['What prize did the daughter of Marie Curie share with her husband?', 'Marie Curie', 'Irène Joliot-Curie'],
  ['What office did the son-in-law of Marie Curie hold?', 'Marie Curie', 'Frédéric Joliot-Curie'],
  ['Which instrument did the composer of the score of The Third Man play, and what did he open later?', 'The Third Man', 'Anton Karas'],
];

export function naturalCorpus(): Corpus {
  const ids = new Map(PASSAGES.map(([title], index) => [title, `n${index}`]));
  return {
    documents: PASSAGES.map(([title, text]) => ({ id: ids.get(title) as string, title, text })),
    questions: QUESTIONS.map(([question, ...gold]) => ({ question, kind: 'natural', gold: gold.map((title) => ids.get(title) as string) })),
  };
}
