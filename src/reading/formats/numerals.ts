const ROMAN: [number, string][] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i']
]
/** Beyond this, numbers of a stranger's list are shown in digits. */
const HIGHEST_NUMERAL = 3999

/** The number of a list's item as its list shows it: the third is `3`, `c`, `C`, `iii` or `III`. */
export function numeral (number: number, counting: string): string {
  if (!Number.isSafeInteger(number) || number < 1 || number > HIGHEST_NUMERAL) return String(number)
  if (counting === 'a') return letters(number)
  if (counting === 'A') return letters(number).toUpperCase()
  if (counting === 'i') return roman(number)
  return counting === 'I' ? roman(number).toUpperCase() : String(number)
}

function letters (number: number): string {
  const rest = (number - 1) % 26
  return (number > 26 ? letters((number - 1 - rest) / 26) : '') + String.fromCharCode(97 + rest)
}

function roman (number: number): string {
  let text = ''
  for (const [value, letter] of ROMAN) for (; number >= value; number -= value) text += letter
  return text
}
