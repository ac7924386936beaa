import { valueAt, withValue } from '../../forms.ts'
import { FIELDS } from './fields.ts'

/** The settings of an agent, as a form holds them. */
export type Settings = Record<string, unknown>

/** The part of an agent that the form edits. */
export function settingsOf (agent: object): Settings {
  const names = new Set(FIELDS.map(({ path }) => path.split('.')[0]!))
  return Object.fromEntries(Object.entries(agent).filter(([name]) => names.has(name)))
}

/** The settings with another value at a path. A ticket system that is no longer chosen is no longer the default. */
export function withSetting (settings: Settings, path: string, value: unknown): Settings {
  const next = withValue(settings, path, value)
  const { ticketing_providers: systems, default_ticketing_provider: first } = next
  return (systems as unknown[]).includes(first) ? next : { ...next, default_ticketing_provider: null }
}

/** A field that differs between two versions. */
export interface Difference {
  path: string
  mine: unknown
  theirs: unknown
  /** Both have changed it since it was read. */
  isBoth: boolean
  /** The default choice: the side that changed it, and the user's own if both did. */
  likely: 'mine' | 'theirs'
}

/** Where the typed (`mine`) and the saved version (`theirs`) differ; `base` is what both started from. */
export function differences (base: Settings, mine: Settings, theirs: Settings): Difference[] {
  return FIELDS.flatMap(({ path }) => {
    const [before, one, other] = [base, mine, theirs].map((from) => valueAt(from, path))
    if (isSame(one, other)) return []
    const isMine = !isSame(before, one)
    return [
      {
        path,
        mine: one,
        theirs: other,
        isBoth: isMine && !isSame(before, other),
        likely: isMine ? ('mine' as const) : ('theirs' as const)
      }
    ]
  })
}

/** The saved version, with the chosen fields as the user typed them. */
export function merged (theirs: Settings, mine: Settings, paths: Iterable<string>): Settings {
  return [...paths].reduce((whole, path) => withValue(whole, path, valueAt(mine, path)), theirs)
}

/** The settings without empty list lines, which exist only while typing. */
export function tidied (settings: Settings): Settings {
  const lists = FIELDS.filter(({ as }) => as === 'lines').map(({ path }) => path)
  const languages = Object.keys(settings.translations as object)
  const translated = languages.flatMap((one) => LISTS.map((list) => `translations.${one}.${list}`))
  return [...lists, ...translated].reduce((whole, path) => {
    const lines = valueAt(whole, path) as string[] | undefined
    return lines?.some(isEmpty) ? withValue(whole, path, lines.filter((line) => !isEmpty(line))) : whole
  }, settings)
}

/** Which texts of a translation are lists. */
const LISTS = ['suggestions', 'followupMessages']

function isEmpty (line: string): boolean {
  return line.trim() === ''
}

function isSame (one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
