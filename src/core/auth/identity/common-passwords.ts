/**
 * Recognizes passwords that attackers try first: a word that many people choose, alone or with a few digits or symbols
 * and letters replaced by digits; sequences, keyboard patterns and repetitions. Rules cover the entries of a list and
 * also variations that a list would lack.
 */

/** Words, names, teams and brands that are frequent in published lists of leaked passwords. */
const WORDS = new Set(
  `
access action adidas admin administrator airborne airforce alabama alaska albert alejandro alexander alexandra alexis
alison allison alpha always amanda amateur america american anderson andrea andrew andrey angel angela angelina angels
animal anthony antonio anything apache apollo apple apples arizona arsenal arthur asshole assassin athena atlanta
atlantis august aurora austin autumn avalon avatar awesome babygirl babylon badass badboy bailey banana bananas bandit
barbara barbie barcelona barney baseball basketball batman baxter beautiful beauty beaver benjamin bigdaddy bigdog
birthday biteme blabla black blackcat blahblah blessed blink blizzard blonde blowjob blowme bonnie boomer boston bowling
brandon brandy braves brazil brian british brittany broncos brooklyn brother bubba bubbles buddha buddy buffalo bulldog
bulldogs bullet bullshit business buster butter butterfly camaro cameron canada captain caramel cardinal carlos carolina
caroline carter casino casper cassie castle catherine cavalier champion chance changeit changeme charles charlie charlotte
cheese chelsea cherry chester chicago chicken chocolate chopper chris christ christian christina christine christopher
classic claudia cocacola coffee college colorado computer connor control cookie cookies cooper corvette country courtney
cowboy cowboys creative cricket cristina crystal daddy dallas daniel daniela danielle darkness darkside david december
default defender demo denise dennis denver desire destiny dexter diablo diamond diamonds digital disney doctor dodgers
dolphin dolphins dominic donald donkey douglas dragon dragons dreamer dreams driver drowssap drummer duncan dustin eagles
eclipse edward einstein electric element elephant elizabeth emerald eminem empire energy engineer england enigma enter
eternity everton explorer express extreme facebook fairlead faith falcon family fantasy father fender fernando ferrari
firebird fireball fireman fishing flamingo florida flower flowers fluffy football forest forever formula france francis
franklin freddy frederic freedom freeman friday friend friends froggy fucker fucking fuckoff fuckyou future gabriel galaxy
gandalf garden garfield gateway gemini general genesis genius george georgia germany ghost giants gibson ginger giovanni
gloria goddess godzilla golden goldfish golfer google gordon gracie grandma green gregory griffin guest guinness guitar
gunner hacker hallo hamilton hammer hamster hannah happy hardcore harley harmony harrison harvey hawaii hawkeye heather
heaven hello hellokitty hercules hockey holiday holland homer honda honey hongkong hooters horses hotdog houston howard
hunter hunting iceman icecream iloveme iloveu iloveyou immortal indian indiana infinity inside instagram internet ireland
ironman isabel isabella island jackass jackie jackson jaguar jamaica january jasmine jason jasper jeffrey jennifer jeremy
jessica jessie jesus jesuschrist johnny johnson jonathan jordan joseph joshua juliet junior jupiter justice justin
justinbieber juventus kathleen katherine kawasaki kennedy kenneth kevin killer kimberly kingdom kitten kitty knight
kristen kristina lacrosse lakers laptop lasvegas lauren lawrence leather legend leonard leonardo letmein letmeinnow liberty
lincoln linkedin lindsay liverpool logitech lollipop london looking love loveme lovely lover lovers loveyou lucifer lucky
machine maddog madison madonna maggie magic magnum manager manchester marathon margaret marine marines marina mario
marlboro marley marshall martin martina marvin master masters matrix matthew maverick maximus maxwell megadeth melanie
melissa member mercedes mercury merlin metallica mexico michael michel michele michelle michigan mickey microsoft midnight
million minecraft miranda mistress mobile monday money monica monika monkey monster montana montreal moonlight morgan
mother motorola mountain mozart muffin murphy mushroom mustang mylove myspace nascar natalia natalie natasha nathan
naughty naruto network newlife newton newyork nicholas nicolas nicole nintendo nirvana nissan norman nothing november
number october office oliver olivia online orange orlando pakistan paladin panther panthers paradise parker
passion passport passwd password passwort patches patience patricia patrick patriots peaches peanut peanuts pebbles pegasus
penguin people pepper perfect personal phantom philip phoenix pickle picture pikachu pirate pirates platinum player playboy
please pokemon police poohbear pookie popcorn porsche portugal potter precious predator pretty prince princess private
pumpkin punisher purple pussy qwerty rabbit rachel racing raiders rainbow ranger rangers raymond realmadrid rebecca redskins
redsox remember renegade republic ricardo richard robert roberto rocket rockstar ronaldo root rosebud russia sabrina sailor
samantha samson samsung samuel samurai sandiego sandra saturn savannah school scooby scooter scorpio scorpion scotland
sebastian secret security september serenity service sesame shadow shannon sharon sheffield shopping sierra silver
simple simpson simpsons skittles skyline skywalker slayer slipknot smokey snickers sniper snoopy snowball snowman soccer
softball soldier something spanky sparky special spencer spider spiderman spirit spitfire sporting spring stanley starcraft
stargate startrek starwars steelers stella stephanie stephen sterling steven stewart strawberry student stupid success
sucker suckit suckme summer sunday sundance sunflower sunrise sunset sunshine super superman superstar superuser support
supernova suzuki sweden sweet sweetie sweetpea swimming swordfish sydney system target taylor teacher telephone temppass
temporary tennis teresa test tester testing texas thailand theman therock thomas thunder thursday tiffany tiger tigers
timothy tinker titanic tomorrow topgun toronto tottenham toyota travel travis treasure trinity triumph trouble trustme
trustno tucker tuesday tweety twilight twitter ultimate undertaker unicorn united universe university user valentin
valentina vampire vanessa vegeta veronica veronika victor victoria victory viking vikings vincent virginia vladimir
volleyball voyager walker warcraft warrior warriors waterloo wednesday welcome western westside whatever whiskey wildcat
wildcats william williams willow wilson windows winner winston winter wizard wolfgang wolverine wordpass xavier yamaha
yankees yellow zachary zombie
`
    .trim()
    .split(/\s+/),
);

const SEQUENCES = [
  '012345678901234567890',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertyuiop[]',
  'asdfghjkl;',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p',
  '1q2w3e4r5t6y7u8i9o0p',
  'q1w2e3r4t5y6u7i8o9p0',
  'qazwsxedcrfvtgbyhnujmikolp',
  'a1b2c3d4e5f6g7h8i9j0',
  '1a2b3c4d5e6f7g8h9i0j',
  '147258369',
  '741852963',
  '789456123',
  '1029384756',
  '112233445566778899',
  '11235813213455',
];
const PATTERNS = SEQUENCES.flatMap((one) => [one, Array.from(one).toReversed().join('')]);
const MIN_PATTERN = 3;
const MAX_PATTERNS = 3;
/** How many characters around a word are so few that attackers try them all. */
const MAX_AROUND = 5;

const SUBSTITUTES: Record<string, string> = {
  '@': 'a',
  '4': 'a',
  '3': 'e',
  '1': 'i',
  '!': 'i',
  '0': 'o',
  $: 's',
  '5': 's',
  '7': 't',
};

const isPattern = (text: string): boolean =>
  text.length >= MIN_PATTERN && PATTERNS.some((pattern) => pattern.includes(text));

/** One to four characters, over and over: `11111111`, `abcabcabc`. */
const isRepetition = (text: string): boolean => /^(.{1,4}?)\1+$/su.test(text);

const isAround = (text: string): boolean =>
  text.length <= MAX_AROUND || isPattern(text) || isRepetition(text);

/** Whether a text consists of up to three patterns: `123qweasd`, `abcd1234`, `qwerty12345`. */
function isPatterns(text: string): boolean {
  let rest = text;
  for (let count = 0; count < MAX_PATTERNS && rest !== ''; count++) {
    let end = rest.length;
    while (end >= MIN_PATTERN && !isPattern(rest.slice(0, end)) && !isRepetition(rest.slice(0, end))) end--;
    if (end < MIN_PATTERN) return false;
    rest = rest.slice(end);
  }
  return rest === '';
}

/** Whether a text is a common word, with few other characters before and after it. */
function isWord(text: string): boolean {
  const [, before = '', word = '', after = ''] = /^([^a-z]*)(.*?)([^a-z]*)$/su.exec(text) ?? [];
  if (!isAround(before) || !isAround(after)) return false;
  const plain = Array.from(word, (character) => SUBSTITUTES[character] ?? character).join('');
  const letters = word.replace(/[\s._-]/gu, '');
  return [word, plain, letters].some((one) => WORDS.has(one) || (isRepetition(one) && one !== ''));
}

/** Returns whether a password is among those that attackers try first. Letter case does not matter. */
export function isCommonPassword(password: string): boolean {
  const text = password.normalize('NFKC').trim().toLowerCase();
  return isRepetition(text) || isPatterns(text) || isWord(text);
}
