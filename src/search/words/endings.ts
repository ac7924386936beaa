import { lazily } from '../../platform/lazily.ts'

type Rule = readonly [ending: RegExp, by: string]

/**
 * Endings of folded words that a stemmer does not know, or takes for others, and what it is given in their place; the
 * first that fits is taken. By language, as `Language` has them.
 */
const REWRITTEN = lazily((): Record<string, readonly Rule[]> => ({
  // The article stands behind the word: цената, билетите.
  bg: [[/(?<=.{3}[ая])та$|(?<=.{3}и)те$|(?<=.{3}[ое])то$|(?<=.{4})(?:ът|ят)$/, '']],
  // The accents are gone by which endings are known: zákazníkům, knihách; an e that comes and goes: vstupenek.
  cs: [[/(?<=.{3})um$/, 'u'], [/(?<=.{3}[^aeiouy])ek$/, 'k'], [/(?<=.{3})ach$/, 'ách'], [/(?<=.{3})ych$/, 'ých'],
    [/(?<=.{3})eho$/, 'ého'], [/(?<=.{3})emu$/, 'ému'], [/(?<=.{3})ymi$/, 'ými'], [/(?<=.{3})am$/, 'ám'], [/(?<=.{3})ym$/, 'ým']],
  // What was done is told in two ways: bestillede, bestillet.
  da: [[/(?<=.{3})(?<!^fremm)edes?$/, 'et']],
  de: [[/kurs$/, 'kursen'], [/(?<=.{3}ier)(?:t(?:e[mnrs]?)?|ung|ungen)$/, 'en'],
    [/(?<=^(?:be|er|ver).+(?:ll|hl|uf|ig|tz))t(?:e[mnrs]?)?$/, 'en']],
  es: [[/(?<=[eiou])ces$/, 'z']],
  // An s belongs to `propos` and `repos`.
  fr: [[/(?<=.{2}[ao])(?<!ropo|^repo)s$|(?<=.{2}ou)x$/, '']],
  nl: [
    // Diminutives, letters that are doubled before an ending: les, lessen; verschil, verschillende.
    [/^kinderen$/, 'kinden'], [/(?<=.{4})jes?$/, ''],
    [/([bfglmnprs])\1(?=(?:en|er|ers|e|ing|ingen|ende?|elijke?)$)/, '$1'],
    // Reserveert, reserveerde; theorieën; machines.
    [/(?<=.{2})eer(?:t|de?|den)$/, 'eren'], [/(?<=[ie]e)en$/, ''], [/(?<=.{2}(?:ur|in|ag|at|ol|ad|iv)e)s$/, ''],
    // An s that belongs to the word, and is no plural or genitive: fiets, plaats, kans.
    [/(?<=(?:aa|ee|ie|oe|oo|uu|ui|eu|ou)t)se?$/, 'sen'],
    [/(?<=^(?:kan|dan|gan|glan|kran|len|men|prin|wen|art|ker|per|ver|reek|koer|kaar|beur))se?$/, 'sen'],
    // Letters that sound otherwise before an ending: prijs, prijzen; brief, brieven.
    [/(?<=.{2})z(?=(?:en|e|er|ers|ing|ingen)$)/, 's'], [/(?<=.{2})v(?=(?:en|e|er|ers|ing|ingen)$)/, 'f']
  ],
  pl: [
    // Words that are too short for the stemmer: cena, ceny, cen; domu, domem.
    [/(?<=^[^aeiouy]{1,2}[aeiouy][bcdfgklmnprstwz])(?:a|y|e|o|u|em|owi|ow|ami|ach|om|ie|ego|ej|emu|ych|ym|ymi)$/, ''],
    [/(?<=^(?:syst|probl)em)$/, 'u'],
    [/(?<=.{3}[^aeiouy])ek$/, 'k'], [/cj(?:a|e|o|om|ach|ami)$/, 'cji'], [/osc(?:i|ia|iami|iach|iom)$/, 'osc'],
    [/(?<=.{4}[ae]n)(?:|ia|ii|iu|iem|iach|iami|iom)$/, 'ie'],
    // Adjectives: polskim, polskich; what was done by nobody that is named: podano; kampania, kampanii.
    [/(?<=.{3}i)(?:m|ch|mi)$|(?<=.{3}y)(?:m|mi)$/, ''], [/(?<=.{3}[aeo]n)o$/, 'y'], [/(?<=.{2}[aeiyu]l)o$/, 'a'],
    [/(?<=.{3})i[ai]$/, 'i'], [/(?<=.{2})([oy]w)al[aioy]?$/, '$1ac'],
    // Nouns that it takes too much off: klienta; dyrektorowi.
    [/(?<=[aeiou][nrk]t)(?:a|owi)$/, ''], [/(?<=.{3})owi$/, '']
  ],
  pt: [[/(?<=.{3})ais$/, 'al'], [/(?<=.{3})eis$/, 'el'], [/(?<=.{3})ois$/, 'ol']],
  // Lucruri, but not culturi, whose one is cultura.
  ro: [[/(?<=.{4})(?<![ai]t|uct|ult|ced|vent)uri(?:le|lor)?$/, ''], [/(?<=.{3})ari(?:i|le|lor)?$/, 'are']],
  // The o of `подарок` comes and goes, that of `игрок` stays.
  ru: [[/(?<=.{2}[^аеиоуыэюя])(?<!^(?:вост|игр|ист|пот|прит|стр|пор|прор))ок$/, 'к']],
  sv: [
    // An s and an or that belong to the word: leverans, dator; resultat.
    [/(?<=[ks]ur|^bor|^ver|niver)s$/, 'sen'],
    [/(?<=(?:fer|lic|ekv|urr|pet|end|sid|ist)en|(?:ver|bal|ist|inst|bst|ul|ch|min)an)s$/, 'sen'],
    [/(?<=aly|^gran|^prin|provin|^lin|^hal|^dan)s$/, 'sen'],
    [/(?<=result|form|appar|certifik|mand|kvadr|klim|kandid|advok|plak|autom|tom|cit)at(?:ets?|ens?|er|erna|s)?$/, 'aten'],
    [/(?<=..ator|^dator|ktor|motor)(?:n|s|ns)?$/, 'er'], [/omrade(?:ts?|ns?|na|s)?$/, 'omraden'],
    // Articles behind the word: teorin, husen, husena, rummet; adjectives: aktuellt.
    [/(?<=.{3}[^aeiou])ena$/, 'en'], [/(?<=(?:or|str|rk|og|af|om|of|er|kat|gen)i)n$/, ''], [/(?<=ell|iv|bar|sk|ular)t$/, 'a'],
    [/([mn])\1ets?$/, '$1'], [/mm(?=(?:en|er|ar|ens|ers|erna|arna|e|a)$)/, 'm'], [/nn(?=en$)/, 'n'],
    [/(it|^pak|^plan)etets?$/, '$1et'],
    [/(?<=.{2}[^h])(?<!it)(?<!(?<!st|[^aeiouy]l|^l)and)(?<!^(?:pak|plan|intern|mark))ets?$/, '']
  ],
  no: [[/(?<=[ks]ur|^bor|^ver|niver)s$/, 'sen'], [/mmer(?:ens?|ets?|nes?|es?|s)?$/, 'mer'],
    [/mm(?=e(?:t|n|ne|s|ts|ns|nes)?$|a$)/, 'm'], [/(?<=.{3}er)(?:ens?|ets?|nes?|es?)$/, '']],
  uk: [[/(?<=.{2}[^аеиіоуюяєї])(?<!^(?:стр|пор|прор))ок$/, 'к']]
}))

/** A folded word as the stemmer of a language brings all its forms together. */
export function rewritten (word: string, language: string): string {
  for (const [ending, by] of REWRITTEN()[language] ?? []) {
    if (ending.test(word)) return word.replace(ending, by)
  }
  return word
}

/** Whether endings of this language are rewritten. */
export const isRewritten = (language: string): boolean => Object.hasOwn(REWRITTEN(), language)
