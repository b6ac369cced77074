/** The words that a generated encyclopaedia is made of. All people, works and places made from them are invented. */
const list = (text: string): readonly string[] => text.trim().split(/\s*\|\s*/);

export const MALE = list(
  'Aldo|Anders|Andrei|Antal|Arthur|Bela|Benedict|Bruno|Carl|Cedric|Charles|Claude|Conrad|Cyril|Daniel|David|Dmitri|Edgar|Edmund|Emil|Enrico|Ernst|Felix|Ferenc|Francis|Franz|George|Gerald|Giovanni|Gustav|Harold|Henri|Henry|Hugo|Ian|Igor|Ivan|Jack|James|Jan|Jean|Joachim|John|Jorge|José|Julian|Karel|Karl|Kenji|Kurt|Lars|Leon|Lewis|Luis|Marcel|Mario|Mark|Martin|Michael|Mikhail|Milan|Nathan|Nikolai|Oscar|Otto|Paul|Pedro|Peter|Philip|Ravi|Raymond|Richard|Robert|Rolf|Roy|Samuel|Sanjay|Sergei|Stanley|Stefan|Takeshi|Thomas|Tomasz|Victor|Vijay|Walter|Wei|William|Xavier|Yuri',
);
export const FEMALE = list(
  'Ada|Agnes|Alice|Amalia|Anna|Beatrice|Bella|Camille|Carmen|Caroline|Cecilia|Clara|Daisy|Diana|Dora|Edith|Elena|Eleanor|Elisabeth|Emma|Erika|Esther|Eva|Fiona|Florence|Frida|Gloria|Grace|Greta|Hannah|Harriet|Helen|Hilda|Ingrid|Irene|Isabel|Jane|Josephine|Judith|Julia|Karin|Katherine|Laura|Leila|Lena|Lillian|Lotte|Louise|Lucia|Lydia|Mabel|Margaret|María|Marie|Martha|Mary|Maud|Meera|Mira|Nadia|Nina|Nora|Olga|Paula|Pauline|Priya|Rosa|Ruth|Sarah|Silvia|Sofia|Sonja|Susan|Teresa|Ursula|Vera|Victoria|Violet|Wilhelmina|Yoko|Zofia',
);
export const SURNAMES = list(
  "Abernathy|Acheson|Adler|Albrecht|Almeida|Ambrose|Andersen|Arkwright|Ashby|Bachmann|Baptiste|Barlow|Bassett|Beckett|Bellamy|Bergström|Bianchi|Blackwood|Bonnet|Borges|Bouchard|Brandt|Brennan|Brook|Cabrera|Calloway|Carrington|Castellano|Chandra|Chaudhry|Cooper|Corrigan|Costa|Crane|Crawford|Czerny|Dalton|Danilov|Darcy|Delgado|Desai|Dietrich|Doyle|Drummond|Duarte|Dvorak|Eklund|Ellison|Esposito|Fairbanks|Falk|Farrow|Ferrari|Fischer|Fitzgerald|Fontaine|Forster|Fournier|Frost|Galloway|Garnier|Gilbert|Goldstein|Grant|Greene|Grimaldi|Haas|Hale|Hamilton|Hargreaves|Hartmann|Hawkins|Hayashi|Herrera|Hoffmann|Holloway|Horváth|Hughes|Ibarra|Ito|Ivanov|Jansen|Jarvis|Jensen|Kapoor|Keller|Kendall|King|Kovács|Kowalski|Krause|Kuznetsov|Lambert|Lange|Larsen|Lawson|Leclerc|Lindqvist|Lombardi|Lorenz|Lowell|MacLeod|Malik|Marchetti|Marlowe|Marsh|Mendez|Menon|Mercer|Meyer|Moreau|Morgan|Moretti|Nakamura|Navarro|Nielsen|Novak|Nyberg|O'Brien|O'Hara|Okafor|Oliveira|Olsen|Orlov|Ortega|Osborne|Palmer|Papadopoulos|Parrish|Pereira|Petrov|Pickering|Popescu|Prescott|Quinn|Radcliffe|Rao|Rasmussen|Renard|Reyes|Ricci|Rivera|Rosenthal|Rossi|Rousseau|Russo|Salazar|Sandoval|Santoro|Sato|Schneider|Schubert|Serrano|Shaw|Silva|Singh|Sokolov|Sorensen|Stanton|Steiner|Stone|Strand|Sutton|Suzuki|Szabó|Takahashi|Thorne|Tolstov|Toth|Underwood|Vance|Vargas|Vasquez|Verhoeven|Vogel|Volkov|Wagner|Walsh|Warwick|Watanabe|Webster|Weiss|Whitaker|Winslow|Wójcik|Wolff|Wong|Woodward|Yamamoto|York|Zapata|Zhang|Zimmermann",
);
export const PLACE_STARTS = list(
  'Al|Ar|Bar|Bel|Ber|Bran|Bre|Cal|Cam|Car|Cas|Chel|Clar|Cor|Crom|Dal|Dor|Dun|Ed|El|Fal|Fern|Gal|Glen|Gran|Hal|Har|Hol|Kar|Kel|Kil|Lan|Lin|Lor|Lun|Mal|Mar|Mel|Mon|Mor|Nar|Nor|Oak|Or|Pem|Pres|Ral|Red|Ros|Sal|San|Sel|Sher|Stan|Tar|Thorn|Tor|Val|Ver|Wal|Wes|Win|Zar',
);
export const PLACE_ENDS = list(
  'bach|berg|borough|bourne|bridge|bury|by|chester|combe|dale|den|dorf|field|ford|grad|ham|haven|heim|holm|hurst|ia|ina|ington|kirk|land|leigh|ley|low|mere|mond|mont|mouth|ola|ona|ora|port|ridge|sea|shire|stad|sted|stein|ston|thorpe|ton|vale|ville|wald|wich|wick|wood|worth|zhou',
);
export const COUNTRIES: readonly (readonly [name: string, adjective: string])[] = [
  ['the United States', 'American'],
  ['the United Kingdom', 'British'],
  ['France', 'French'],
  ['Germany', 'German'],
  ['Italy', 'Italian'],
  ['Spain', 'Spanish'],
  ['India', 'Indian'],
  ['Japan', 'Japanese'],
  ['Poland', 'Polish'],
  ['Hungary', 'Hungarian'],
  ['Sweden', 'Swedish'],
  ['Norway', 'Norwegian'],
  ['Brazil', 'Brazilian'],
  ['Mexico', 'Mexican'],
  ['Canada', 'Canadian'],
  ['Australia', 'Australian'],
  ['Russia', 'Russian'],
  ['Portugal', 'Portuguese'],
  ['Greece', 'Greek'],
  ['Ireland', 'Irish'],
];
export const ADJECTIVES = list(
  'Amber|Ancient|Bitter|Black|Blind|Blue|Broken|Brave|Burning|Cold|Crimson|Dark|Distant|Empty|Endless|Eternal|Fallen|False|Final|First|Forgotten|Frozen|Gentle|Golden|Great|Green|Hidden|High|Hollow|Invisible|Iron|Last|Little|Lonely|Long|Lost|Midnight|Naked|Narrow|New|Old|Open|Painted|Pale|Perfect|Quiet|Red|Restless|Sacred|Second|Secret|Seven|Silent|Silver|Sleeping|Small|Stolen|Strange|Sweet|Tender|Third|Twelve|Twisted|Velvet|Violent|Wandering|White|Wild|Winter|Wooden|Yellow',
);
export const NOUNS = list(
  'Angel|Arrow|Autumn|Bell|Bird|Bridge|Candle|Castle|Circle|City|Clock|Cloud|Coast|Crown|Dance|Daughter|Dawn|Desert|Door|Dream|Echo|Empire|Eye|Falcon|Father|Field|Fire|Flame|Flower|Forest|Game|Garden|Gate|Ghost|Glass|Hand|Harbor|Heart|Hill|Horse|Hour|House|Hunter|Island|Journey|Key|Kingdom|Lady|Lake|Lamp|Letter|Light|Lion|Mask|Mirror|Moon|Morning|Mother|Mountain|Night|Ocean|Orchard|Paradise|Promise|Queen|Rain|Ring|River|Road|Room|Rose|Sea|Season|Secret|Shadow|Ship|Shore|Sister|Sky|Snow|Soldier|Son|Song|Star|Stone|Storm|Stranger|Street|Summer|Sun|Sword|Thief|Tiger|Tower|Train|Tree|Valley|Voice|Wall|War|Water|Wedding|Wheel|Widow|Wind|Window|Winter|Wolf|Woman|World',
);
export const GENRES = list(
  'drama|comedy|thriller|crime|war|musical|western|romantic|horror|adventure|historical|mystery|silent|science fiction',
);
export const MUSIC = list('rock|pop|folk|jazz|soul|punk|country|electronic|blues|indie');
export const OCCUPATIONS = list(
  'painter|politician|lawyer|physicist|chemist|poet|journalist|historian|architect|botanist|footballer|cricketer|tennis player|philosopher|economist|photographer|sculptor|mathematician|engineer|bishop|diplomat|general',
);
export const AWARDS = list('Meridian|Halcyon|Laurel|Sovereign|Corona|Lantern|Argent|Pinnacle|Aurora|Compass');
export const ASIDES = list(
  'Critics were divided|It remains little known outside specialist circles|A commemorative plaque was unveiled in 1987|Several later accounts dispute the date|The original records were destroyed in a fire|Reviews were mixed|It has since been digitised|The subject received renewed attention in the 1990s|Only a few photographs survive|It was later revised and expanded|The details of this period are uncertain|It is regarded as a minor classic|A biography appeared posthumously|Its influence has been discussed by scholars|The anniversary is marked every spring',
);
