/** A time of day without a mark that says so, as in `8 till 9.15`. */
const CLOCK = '(?:[01]?\\d|2[0-4])'
const [MINUTES, ANY] = ['[.:]\\d\\d', '(?:[.:]\\d\\d)?']
/** Words that hardly anything but times stands between. */
const UNTIL = 'until|till|’?til'
/** Words before a range, and within it. */
const FROM = 'from|between|open|served|daily|von|zwischen|entre|de|das|van|tussen|dalle|od|från|fra'
const TO = 'to|until|till|and|bis|und|y|a|à|et|e|às|alle|tot|en|do|till|til|og'
/** Not an amount, a share or how many of something. */
const NOTHING_COUNTED = '(?![.,:]?\\d|\\s?[%€£$°]|\\s?(?:years?|yrs|months?|weeks?|days?|people|persons?|kg|km|g|cm|mm|m|l)(?!\\p{L}))'
/** What stands behind a number that is a time of day by what stands before it. */
const AT_END = '(?=[.,;)!?](?!\\d)|$|\\n|\\so’?\'?clock|\\s(?:in the|at night|on the|every|each|daily|sharp)(?!\\p{L}))'
/** The hours in words, as they stand behind `at` and its like. */
const SAID = [
  `(?:at|by|until|till|before|after|around)\\s(?:\\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)${AT_END}`,
  '(?:um|gegen)\\s(?:eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf)(?!\\p{L})',
  '(?:a|hasta|desde) las\\s(?:\\d{1,2}|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce)(?![\\p{L}\\d])',
  '(?:à|dès|avant|après)\\s\\d{1,2}\\sheures?(?!\\p{L})',
  'd?alle\\s(?:due|tre|quattro|cinque|sei|sette|otto|nove|dieci|undici|dodici)(?!\\p{L})',
  'om\\s(?:een|twee|drie|vier|vijf|zes|zeven|acht|negen|tien|elf|twaalf)\\suur'
].join('|')
/** From a time of day to another, which the words between tell, or minutes. */
const RANGE = new RegExp(
  `(?<!\\p{L})(?:dalle ${CLOCK}${ANY} alle|das ${CLOCK}${ANY} às) ${CLOCK}${ANY}(?![.,:]?\\d|\\s?[%€£$])|` +
  `(?<![\\d.,€£$])${CLOCK}${ANY}\\s(?:${UNTIL})\\s${CLOCK}${ANY}${NOTHING_COUNTED}|` +
  `(?<!\\p{L})(?:${FROM})\\s${CLOCK}${MINUTES}\\s(?:${TO})\\s${CLOCK}${ANY}(?![.,]?\\d|\\s?[%€£$])`, 'iu'
)

/** How times of day are written, and from one to another. */
export const times = (): ['time' | 'hours' | readonly ['time', 'hours'], RegExp][] => [
  ['time', /(?<![\d.,])(?:\d{1,2}(?:[:.]\d\d)?\s?(?:am|pm|a\.m\.|p\.m\.|uhr|uur|h|kl)(?!\p{L})|\d{1,2}[:h]\d\d(?!\d)|(?:dalle|alle|das|às|kl\.?|od|do|från|fra|с|до)\s\d{1,2}(?:[.:]\d\d)?(?![\d%€]))|\bnoon\b|midnight/iu],
  ['time', /\d{1,2}(?:時|点|點|시)(?!間|间|간)|\d{1,2}[.:]\d\d\s?น\./u],
  // From a time of day to another.
  ['hours', /\d{1,2}(?:時|点|點|시|[:.]\d\d)(?!間|间|간).{0,12}(?:から|至|到|부터|ถึง|[–〜～~-]).{0,8}\d{1,2}(?:時|点|點|시|[:.]\d\d)/u],
  ['hours', /(?<![\d.,€£$])\d{1,2}(?:[:.h]\d\d)?\s?(?:am|pm|uhr|h)?\s?(?:[–-]|to|until|till|bis|à|a|às|al|alle|tot|do|til|до)\s?(?:kl\.?\s|las\s|le\s)?\d{1,2}(?:[:h]\d\d|(?:[.]\d\d)?\s?(?:am|pm|uhr|uur|h(?!\p{L})))/iu],
  [['time', 'hours'], RANGE],
  ['time', new RegExp(`(?<!\\p{L})(?:${SAID})`, 'iu')]
]
