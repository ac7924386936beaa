/*
 * Which passwords are guessed first: pure functions.
 */

/** Words that most bad passwords are made of, in the languages of the console, without accents. The longest first. */
const TRIED_FIRST = `
  administrator administrador palavrapasse palavrachave contrasena motdepasse willkommen bienvenido bienvenue
  bemvindo agenthall superman sunshine princess prinzessin football baseball fussball password passwort kennwort
  passwd iloveyou tequiero jetaime changeme whatever starwars trustno letmein welcome master dragon monkey shadow
  secret secreto segredo geheim default qwerty qwertz azerty passw clave senha hallo hello bonjour hola login admin
  guest test user root love pass abc
`.trim().split(/\s+/).toSorted((a, b) => b.length - a.length)
/** Rows of keys, the alphabet and the digits: people type along them, either way. */
const ROWS = [
  'qwertyuiop', 'qwertzuiop', 'azertyuiop', 'asdfghjkl', 'qsdfghjklm', 'zxcvbnm', 'yxcvbnm', 'wxcvbn',
  'abcdefghijklmnopqrstuvwxyz', '01234567890'
].flatMap((row) => [row, [...row].reverse().join('')])
/** Fewest characters of such a row that are no accident. */
const RUN = 4
/** What people write for letters. */
const LETTERS: Readonly<Record<string, string>> = {
  0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', '@': 'a', $: 's', '!': 'i', '€': 'e'
}
/** Letters that make a password nobody's first guess, beside such words. */
const ENOUGH = 4

/**
 * Whether a password, in lower case, is little but words that are tried first, rows of keys and the user's own names,
 * with digits and signs around them or in place of letters.
 */
export function isTriedFirst (password: string, names: readonly string[]): boolean {
  const bare = password.normalize('NFKD').replaceAll(/\p{M}/gu, '')
  const core = bare.replaceAll(/^\P{L}+|\P{L}+$/gu, '')
  const read = [...core].map((one) => LETTERS[one] ?? one).join('')
  const words = [...names.flatMap(partsOf), ...TRIED_FIRST]
  return [bare, bare.replaceAll(/\P{L}/gu, ''), read].some((text) => {
    const rest = words.reduce((left, word) => left.replaceAll(word, ' '), withoutRuns(text))
    return rest !== text && rest.replaceAll(/\P{L}/gu, '').length < ENOUGH
  })
}

/** A name, and the words in it. */
function partsOf (name: string): string[] {
  const bare = name.toLowerCase().normalize('NFKD').replaceAll(/\p{M}/gu, '')
  return [bare, ...bare.split(/[^\p{L}\p{N}]+/u)].filter((part) => part.length >= 3)
}

function withoutRuns (text: string): string {
  for (let at = 0; at + RUN <= text.length; at++) {
    let end = at + RUN
    if (!isRun(text.slice(at, end))) continue
    while (end < text.length && isRun(text.slice(at, end + 1))) end++
    return `${text.slice(0, at)} ${withoutRuns(text.slice(end))}`
  }
  return text
}

const isRun = (text: string) => ROWS.some((row) => row.includes(text))
