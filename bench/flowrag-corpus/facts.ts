/** Well-known facts, a line each, from which the pages and questions of `encyclopaedia.ts` are written. */

/** title | year | director | star | composer | adapted from (novel by author) or - | where it is set */
export const FILMS = `
Jaws|1975|Steven Spielberg|Roy Scheider|John Williams|Jaws by Peter Benchley|Amity Island
Schindler's List|1993|Steven Spielberg|Liam Neeson|John Williams|Schindler's Ark by Thomas Keneally|Kraków
Alien|1979|Ridley Scott|Sigourney Weaver|Jerry Goldsmith|-|a commercial spaceship
Blade Runner|1982|Ridley Scott|Harrison Ford|Vangelis|Do Androids Dream of Electric Sheep? by Philip K. Dick|Los Angeles
Gladiator|2000|Ridley Scott|Russell Crowe|Hans Zimmer|-|Rome
The Shining|1980|Stanley Kubrick|Jack Nicholson|Wendy Carlos|The Shining by Stephen King|Colorado
A Clockwork Orange|1971|Stanley Kubrick|Malcolm McDowell|Wendy Carlos|A Clockwork Orange by Anthony Burgess|London
Barry Lyndon|1975|Stanley Kubrick|Ryan O'Neal|Leonard Rosenman|The Luck of Barry Lyndon by William Makepeace Thackeray|Ireland
Taxi Driver|1976|Martin Scorsese|Robert De Niro|Bernard Herrmann|-|New York City
Raging Bull|1980|Martin Scorsese|Robert De Niro|-|-|New York City
The Departed|2006|Martin Scorsese|Leonardo DiCaprio|Howard Shore|-|Boston
Psycho|1960|Alfred Hitchcock|Anthony Perkins|Bernard Herrmann|Psycho by Robert Bloch|Arizona
Vertigo|1958|Alfred Hitchcock|James Stewart|Bernard Herrmann|D'entre les morts by Boileau-Narcejac|San Francisco
The Birds|1963|Alfred Hitchcock|Tippi Hedren|-|The Birds by Daphne du Maurier|Bodega Bay
Rebecca|1940|Alfred Hitchcock|Laurence Olivier|Franz Waxman|Rebecca by Daphne du Maurier|Cornwall
The Third Man|1949|Carol Reed|Joseph Cotten|Anton Karas|-|Vienna
Oliver!|1968|Carol Reed|Ron Moody|Lionel Bart|Oliver Twist by Charles Dickens|London
Lawrence of Arabia|1962|David Lean|Peter O'Toole|Maurice Jarre|Seven Pillars of Wisdom by T. E. Lawrence|Arabia
Doctor Zhivago|1965|David Lean|Omar Sharif|Maurice Jarre|Doctor Zhivago by Boris Pasternak|Moscow
Great Expectations|1946|David Lean|John Mills|Walter Goehr|Great Expectations by Charles Dickens|Kent
Amadeus|1984|Miloš Forman|F. Murray Abraham|-|-|Vienna
One Flew Over the Cuckoo's Nest|1975|Miloš Forman|Jack Nicholson|Jack Nitzsche|One Flew Over the Cuckoo's Nest by Ken Kesey|Oregon
Chinatown|1974|Roman Polanski|Jack Nicholson|Jerry Goldsmith|-|Los Angeles
The Pianist|2002|Roman Polanski|Adrien Brody|Wojciech Kilar|-|Warsaw
Das Boot|1981|Wolfgang Petersen|Jürgen Prochnow|Klaus Doldinger|Das Boot by Lothar-Günther Buchheim|the Atlantic
The NeverEnding Story|1984|Wolfgang Petersen|Noah Hathaway|Klaus Doldinger|The Neverending Story by Michael Ende|Fantasia
The Piano|1993|Jane Campion|Holly Hunter|Michael Nyman|-|New Zealand
Lost in Translation|2003|Sofia Coppola|Bill Murray|Kevin Shields|-|Tokyo
Marie Antoinette|2006|Sofia Coppola|Kirsten Dunst|-|-|Versailles
The Godfather|1972|Francis Ford Coppola|Marlon Brando|Nino Rota|The Godfather by Mario Puzo|New York City
Apocalypse Now|1979|Francis Ford Coppola|Martin Sheen|Carmine Coppola|Heart of Darkness by Joseph Conrad|Vietnam
La Dolce Vita|1960|Federico Fellini|Marcello Mastroianni|Nino Rota|-|Rome
Amarcord|1973|Federico Fellini|Magali Noël|Nino Rota|-|Rimini
Seven Samurai|1954|Akira Kurosawa|Toshiro Mifune|Fumio Hayasaka|-|Japan
Throne of Blood|1957|Akira Kurosawa|Toshiro Mifune|Masaru Sato|Macbeth by William Shakespeare|Japan
Stalker|1979|Andrei Tarkovsky|Alexander Kaidanovsky|Eduard Artemyev|Roadside Picnic by Boris Strugatsky|the Zone
Solaris|1972|Andrei Tarkovsky|Donatas Banionis|Eduard Artemyev|Solaris by Stanisław Lem|a space station
The Seventh Seal|1957|Ingmar Bergman|Max von Sydow|Erik Nordgren|-|Sweden
Trainspotting|1996|Danny Boyle|Ewan McGregor|-|Trainspotting by Irvine Welsh|Edinburgh
Slumdog Millionaire|2008|Danny Boyle|Dev Patel|A. R. Rahman|Q & A by Vikas Swarup|Mumbai
`;

/** name | born | birthplace | died or - | nationality | what they do | a fact */
export const PEOPLE = `
Steven Spielberg|1946|Cincinnati|-|American|film director and producer|co-founded the studio DreamWorks
Ridley Scott|1937|South Shields|-|English|film director|studied at the Royal College of Art
Stanley Kubrick|1928|New York City|1999|American|film director|began as a photographer for Look magazine
Martin Scorsese|1942|New York City|-|American|film director|studied at New York University
Alfred Hitchcock|1899|Leytonstone|1980|English|film director|was known as the Master of Suspense
Carol Reed|1906|Putney|1976|English|film director|won an Academy Award for a musical
David Lean|1908|Croydon|1991|English|film director and editor|began as a clapperboard assistant at Gaumont Studios
Miloš Forman|1932|Čáslav|2018|Czech|film director|left his country after the Prague Spring
Roman Polanski|1933|Paris|-|Polish|film director|studied at the National Film School in Łódź
Wolfgang Petersen|1941|Emden|2022|German|film director|moved to Hollywood in the 1980s
Jane Campion|1954|Wellington|-|New Zealand|film director|was the first woman to win the Palme d'Or
Sofia Coppola|1971|New York City|-|American|film director|is the daughter of Francis Ford Coppola
Francis Ford Coppola|1939|Detroit|-|American|film director|studied at Hofstra University
Federico Fellini|1920|Rimini|1993|Italian|film director|was married to the actress Giulietta Masina
Akira Kurosawa|1910|Tokyo|1998|Japanese|film director|first trained as a painter
Andrei Tarkovsky|1932|Zavrazhye|1986|Soviet|film director|was the son of the poet Arseny Tarkovsky
Ingmar Bergman|1918|Uppsala|2007|Swedish|film and theatre director|lived on the island of Fårö
Danny Boyle|1956|Radcliffe|-|English|film director|staged the opening of the 2012 Summer Olympics
John Williams|1932|Queens|-|American|composer|studied at the Juilliard School
Bernard Herrmann|1911|New York City|1975|American|composer|studied at the Juilliard School
Jerry Goldsmith|1929|Los Angeles|2004|American|composer|studied with Jakob Gimpel
Hans Zimmer|1957|Frankfurt|-|German|composer|played keyboards for the Buggles
Maurice Jarre|1924|Lyon|2009|French|composer|was the father of the musician Jean-Michel Jarre
Nino Rota|1911|Milan|1979|Italian|composer|studied at the Curtis Institute of Music
Vangelis|1943|Agria|2022|Greek|musician and composer|was a member of the band Aphrodite's Child
Howard Shore|1946|Toronto|-|Canadian|composer|studied at Berklee College of Music
Michael Nyman|1944|London|-|English|composer|coined the term minimalism for music
A. R. Rahman|1967|Chennai|-|Indian|composer and singer|founded a conservatory of music
Jack Nicholson|1937|Neptune City|-|American|actor|won three Academy Awards
Robert De Niro|1943|New York City|-|American|actor|co-founded the Tribeca Festival
Liam Neeson|1952|Ballymena|-|Northern Irish|actor|was married to the actress Natasha Richardson
Sigourney Weaver|1949|New York City|-|American|actress|studied at Yale University
Russell Crowe|1964|Wellington|-|New Zealand|actor|grew up in Sydney
Peter O'Toole|1932|Leeds|2013|English|actor|studied at the Royal Academy of Dramatic Art
Omar Sharif|1932|Alexandria|2015|Egyptian|actor|was a player of contract bridge
Toshiro Mifune|1920|Qingdao|1997|Japanese|actor|served in an aerial photography unit
Max von Sydow|1929|Lund|2020|Swedish|actor|became a citizen of France
Daphne du Maurier|1907|London|1989|English|novelist|lived at Menabilly for many years
Stephen King|1947|Portland, Maine|-|American|novelist|studied at the University of Maine
Charles Dickens|1812|Portsmouth|1870|English|novelist|is buried in Westminster Abbey
Philip K. Dick|1928|Chicago|1982|American|novelist|attended the University of California, Berkeley
Anthony Burgess|1917|Manchester|1993|English|novelist and composer|studied at the Victoria University of Manchester
Boris Pasternak|1890|Moscow|1960|Russian|poet and novelist|was made to decline the Nobel Prize in Literature
Joseph Conrad|1857|Berdychiv|1924|Polish-British|novelist|served in the merchant navy
Stanisław Lem|1921|Lviv|2006|Polish|novelist|trained as a physician
Irvine Welsh|1958|Leith|-|Scottish|novelist|worked as a television repairman
Michael Ende|1929|Garmisch-Partenkirchen|1995|German|novelist|was the son of the painter Edgar Ende
Ken Kesey|1935|La Junta|2001|American|novelist|studied at the University of Oregon
Thomas Keneally|1935|Sydney|-|Australian|novelist|won the Booker Prize in 1982
Thom Yorke|1968|Wellingborough|-|English|musician|studied at the University of Exeter
Bono|1960|Dublin|-|Irish|singer|co-founded the ONE Campaign
Björn Ulvaeus|1945|Gothenburg|-|Swedish|songwriter|wrote the musical Chess with a partner
Mick Jagger|1943|Dartford|-|English|singer|attended the London School of Economics
Freddie Mercury|1946|Stone Town|1991|British|singer|studied at Ealing Art College
David Gilmour|1946|Cambridge|-|English|guitarist|owned a recording studio on a houseboat
Robert Plant|1948|West Bromwich|-|English|singer|later recorded with Alison Krauss
Jim Morrison|1943|Melbourne, Florida|1971|American|singer and poet|is buried in Père Lachaise Cemetery
Kurt Cobain|1967|Aberdeen, Washington|1994|American|musician|was married to the singer Courtney Love
Michael Hutchence|1960|Sydney|1997|Australian|singer|also acted in films
Ingvar Kamprad|1926|Ljungby|2018|Swedish|businessman|lived in Switzerland for four decades
Soichiro Honda|1906|Hamamatsu|1991|Japanese|engineer|built piston rings for Toyota
Enzo Ferrari|1898|Modena|1988|Italian|racing driver and businessman|raced for Alfa Romeo
Akio Morita|1921|Nagoya|1999|Japanese|businessman|studied at Osaka Imperial University
Adolf Dassler|1900|Herzogenaurach|1978|German|shoemaker|was the brother of Rudolf Dassler
Rudolf Dassler|1898|Herzogenaurach|1974|German|shoemaker|was the brother of Adolf Dassler
Henri Nestlé|1814|Frankfurt|1890|German-Swiss|confectioner|was a pharmacist's assistant
Gerard Philips|1858|Zaltbommel|1942|Dutch|industrialist|studied at Delft University of Technology
Jeff Bezos|1964|Albuquerque|-|American|businessman|studied at Princeton University
Larry Page|1973|Lansing|-|American|computer scientist|studied at Stanford University
Phil Knight|1938|Portland, Oregon|-|American|businessman|studied at the University of Oregon
`;

/** name | formed | city | singer | an album | its year | label */
export const BANDS = `
Radiohead|1985|Abingdon|Thom Yorke|OK Computer|1997|Parlophone
U2|1976|Dublin|Bono|The Joshua Tree|1987|Island Records
ABBA|1972|Stockholm|Björn Ulvaeus|Arrival|1976|Polar Music
The Rolling Stones|1962|London|Mick Jagger|Exile on Main St.|1972|Rolling Stones Records
Queen|1970|London|Freddie Mercury|A Night at the Opera|1975|EMI
Pink Floyd|1965|London|David Gilmour|The Dark Side of the Moon|1973|Harvest Records
Led Zeppelin|1968|London|Robert Plant|Houses of the Holy|1973|Atlantic Records
The Doors|1965|Los Angeles|Jim Morrison|L.A. Woman|1971|Elektra Records
Nirvana|1987|Aberdeen, Washington|Kurt Cobain|Nevermind|1991|DGC Records
INXS|1977|Sydney|Michael Hutchence|Kick|1987|Atlantic Records
`;

/** name | founded | city | founder | what it makes */
export const COMPANIES = `
IKEA|1943|Älmhult|Ingvar Kamprad|furniture
Honda|1948|Hamamatsu|Soichiro Honda|cars and motorcycles
Ferrari|1947|Maranello|Enzo Ferrari|sports cars
Sony|1946|Tokyo|Akio Morita|consumer electronics
Adidas|1949|Herzogenaurach|Adolf Dassler|sports shoes and clothing
Puma|1948|Herzogenaurach|Rudolf Dassler|sports shoes and clothing
Nestlé|1866|Vevey|Henri Nestlé|food and drink
Philips|1891|Eindhoven|Gerard Philips|lamps and medical equipment
Amazon|1994|Bellevue|Jeff Bezos|retail over the internet
Google|1998|Menlo Park|Larry Page|a search engine
Nike|1964|Eugene|Phil Knight|sports shoes and clothing
`;

/** name | country or state | river or sea | population in thousands | a sight */
export const PLACES = `
Vienna|Austria|the Danube|2000|St. Stephen's Cathedral
Rome|Italy|the Tiber|2800|the Colosseum
Rimini|Italy|the Adriatic Sea|150|the Arch of Augustus
Dublin|Ireland|the River Liffey|590|Trinity College
Leeds|England|the River Aire|800|Kirkgate Market
Manchester|England|the River Irwell|550|the John Rylands Library
Portsmouth|England|the Solent|210|the ship HMS Victory
Edinburgh|Scotland|the Firth of Forth|520|Edinburgh Castle
Leith|Scotland|the Water of Leith|50|the Royal Yacht Britannia
Warsaw|Poland|the Vistula|1860|the Royal Castle
Kraków|Poland|the Vistula|800|Wawel Castle
Moscow|Russia|the Moskva River|13000|the Kremlin
Tokyo|Japan|the Sumida River|14000|the Imperial Palace
Hamamatsu|Japan|the Tenryū River|790|Lake Hamana
Nagoya|Japan|the Shōnai River|2300|Nagoya Castle
Sydney|Australia|Port Jackson|5300|the Opera House
Wellington|New Zealand|Cook Strait|215|the Beehive
Gothenburg|Sweden|the Göta älv|600|the Liseberg park
Uppsala|Sweden|the Fyris|180|Uppsala Cathedral
Stockholm|Sweden|Lake Mälaren|980|the Vasa Museum
Herzogenaurach|Germany|the Aurach|24|a medieval town centre
Emden|Germany|the Ems|50|the Kunsthalle
Frankfurt|Germany|the Main|770|the Paulskirche
Modena|Italy|the Secchia|185|the Ghirlandina tower
Maranello|Italy|the Tiepido|17|a museum of racing cars
Eindhoven|Netherlands|the Dommel|240|the Van Abbemuseum
Vevey|Switzerland|Lake Geneva|20|a giant fork in the lake
Boston|Massachusetts|the Charles River|650|Faneuil Hall
Cincinnati|Ohio|the Ohio River|310|the Roebling Bridge
Detroit|Michigan|the Detroit River|630|the Institute of Arts
Albuquerque|New Mexico|the Rio Grande|560|the Old Town
San Francisco|California|the Golden Gate|870|the cable cars
Los Angeles|California|the Pacific Ocean|3900|the Griffith Observatory
New York City|New York|the Hudson River|8300|the Statue of Liberty
Chicago|Illinois|Lake Michigan|2700|the Art Institute
Mumbai|India|the Arabian Sea|12500|the Gateway of India
Chennai|India|the Bay of Bengal|6700|Marina Beach
Alexandria|Egypt|the Mediterranean Sea|5200|the Citadel of Qaitbay
Lyon|France|the Rhône|520|the Basilica of Fourvière
Milan|Italy|the Olona|1370|La Scala
Toronto|Ontario|Lake Ontario|2800|the CN Tower
Lviv|Ukraine|the Poltva|720|the Opera
Qingdao|China|the Yellow Sea|10000|the Zhan Qiao pier
Cambridge|England|the River Cam|145|King's College Chapel
`;

/** name | founded | place | motto or known for */
export const SCHOOLS = `
Juilliard School|1905|New York City|training in music, dance and drama
Stanford University|1885|California|the start-ups of its students
Princeton University|1746|New Jersey|its gothic campus
Yale University|1701|Connecticut|its secret societies
University of Oregon|1876|Eugene|track and field
Hofstra University|1935|Hempstead|its arboretum
Delft University of Technology|1842|Delft|engineering
University of Exeter|1955|Exeter|its sculpture walk
London School of Economics|1895|London|the social sciences
Royal Academy of Dramatic Art|1904|London|the training of actors
Curtis Institute of Music|1924|Philadelphia|taking no fees
Berklee College of Music|1945|Boston|jazz and popular music
New York University|1831|New York City|the Tisch School of the Arts
Royal College of Art|1837|London|being wholly postgraduate
University of Maine|1865|Orono|the hockey team
`;

/** Pages that share words with those above and answer nothing. */
export const DISTRACTORS = `
Jaws 2|Jaws 2 is a 1978 American thriller film and the sequel to the first one; Jeannot Szwarc took over as its director after filming had begun.
Jaws (soundtrack)|The soundtrack of the shark thriller was released by MCA in 1975 and won a Grammy; two alternating notes announce the shark.
Alien (franchise)|The franchise consists of films, comics, novels and video games about a crew and a deadly creature in space.
Blade Runner (video game)|The adventure game of 1997 by Westwood Studios takes place in parallel to the film and has thirteen endings.
Psycho (1998 film)|The 1998 film is a shot-for-shot remake by Gus Van Sant in colour, with Vince Vaughn as the owner of the motel.
The Shining (miniseries)|The three-part television miniseries of 1997 was directed by Mick Garris, whose script the novelist wrote himself.
The Godfather (video game)|The open world game was published by Electronic Arts in 2006 and lets players rise in a crime family.
Amadeus (play)|The play by Peter Shaffer of 1979 tells an imaginary rivalry of two composers at the court of Joseph II.
Solaris (2002 film)|The 2002 film by Steven Soderbergh with George Clooney is a love story on a space station above a strange planet.
Great Expectations (1998 film)|The 1998 film moves the story to Florida and New York; Alfonso Cuarón directed Ethan Hawke and Gwyneth Paltrow.
Oliver Twist (2005 film)|The 2005 film with Ben Kingsley as Fagin was shot in Prague, where the streets of old London were built.
Queen (chess)|The queen is the most powerful piece in the game of chess, able to move any number of squares in any direction.
Nirvana|In Indian religions the word stands for release from the cycle of rebirth, the blowing out of the fires of the mind.
Kick (dance)|The kick is a step of many dances in which the leg is thrown into the air, as in the cancan.
Arrival (film)|The science fiction film by Denis Villeneuve with Amy Adams is about a linguist who learns to speak with visitors.
Rome (TV series)|The television series of 2005 follows two soldiers in the last days of the Roman Republic and was shot at Cinecittà.
Amazon River|The Amazon in South America carries more water than any other river and drains a rainforest of nine countries.
Puma (genus)|The genus holds the cougar and the jaguarundi, cats of the Americas that cannot roar.
Ferrari Testarossa|The mid-engine sports car with twelve cylinders was made from 1984 to 1996 and designed by Pininfarina.
Sony Music|The record company is based in New York City and grew out of Columbia Records, bought from CBS in 1987.
Honda Point disaster|Seven destroyers of the United States Navy ran aground on the coast of California in 1923.
Philips Arena|The arena in Atlanta opened in 1999 and bore the name of an electronics company until 2018.
Vienna Convention|The convention of 1961 rules how diplomats are treated and was signed by sixty states.
Vienna Sausage|The thin parboiled sausage of pork and beef is eaten with mustard and takes its name from a capital.
Boston Tea Party|In 1773 colonists threw the tea of the East India Company into the harbour to protest against taxation.
Portsmouth Sinfonia|The orchestra of 1970 welcomed players who could not play, and sold many records.
Chicago (musical)|The musical of 1975 with songs by Kander and Ebb is about crime and fame in the jazz age.
Manchester by the Sea|The drama of 2016 by Kenneth Lonergan with Casey Affleck tells of a janitor who has to look after his nephew.
Lawrence, Kansas|The city is the seat of Douglas County and of the University of Kansas, founded by settlers from New England.
Scott Joplin|The composer of ragtime wrote the Maple Leaf Rag and two operas, and died in New York in 1917.
John Williams (guitarist)|The Australian classical guitarist studied with Segovia and founded the group Sky.
Robert Scott|The officer of the Royal Navy led two expeditions to the Antarctic and died on the way back from the South Pole in 1912.
David Lean Cinema|The cinema in a library in Croydon opened in 1995 and shows films to small audiences.
Stephen King bibliography|The list holds more than sixty novels and two hundred short stories, some under the name Richard Bachman.
Dickens Fair|The fair in the season of Christmas turns a hall near San Francisco into the streets of Victorian London.
Michael Collins|The Irish revolutionary was a member of the first government of the Free State and was shot in 1922.
Robert Bosch|The engineer from near Ulm founded a workshop in Stuttgart in 1886 that became a maker of ignition magnetos.
Jack Nicklaus|The American golfer won eighteen major championships, more than anyone else, and designs golf courses.
Jane Austen|The English novelist wrote Pride and Prejudice and Emma, and died in Winchester in 1817.
Thomas Mann|The German novelist wrote Buddenbrooks and The Magic Mountain and received the Nobel Prize in 1929.
Anthony Hopkins|The Welsh actor from Port Talbot won Academy Awards for playing a cannibal and a father who forgets.
Max Planck|The physicist from Kiel originated quantum theory, for which he got the Nobel Prize in 1918.
Carol Burnett|The American comedian had a variety show of her own on television from 1967 to 1978.
Danny Kaye|The American entertainer starred in White Christmas and was the first ambassador of UNICEF.
Omar Khayyam|The Persian polymath from Nishapur worked on cubic equations and is known for his quatrains.
Larry Bird|The American basketball player spent his whole career with the Celtics and won three championships.
Phil Collins|The English drummer and singer of Genesis had many hits of his own in the 1980s.
Jim Henson|The American puppeteer created the Muppets and played Kermit the Frog.
Parlophone|The label was founded in Germany in 1896 by the Carl Lindström Company and later belonged to EMI.
Island Records|The label was founded in Jamaica in 1959 by Chris Blackwell and brought reggae to the world.
Elektra Records|The label was founded in 1950 in a college dormitory by Jac Holzman and Paul Rickolt.
Atlantic Records|The label was founded in 1947 by Ahmet Ertegun and Herb Abramson as a label for jazz and rhythm and blues.
`;
