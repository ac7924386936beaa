import type { ConfigApplied, ConfigChange, ConfigDrift, ConfigPlan, ConfigPublished } from '../../../schema/config.ts'
import type { FieldChange } from '../../../schema/versions.ts'
import { shortened } from '../../platform/errors.ts'
import { inLine, plain, table } from '../common.ts'

const MARKS = { create: '+', change: '~', delete: '-', unmanaged: '?' } as const
/** Maximum unmanaged objects named. */
const MOST_NAMED = 20
/** Context lines around a change of a text. */
const CONTEXT = 2

/** A plan as text: what would be done, what was changed elsewhere, what is missing. */
export function planInWords ({ changes, unchanged, drift, missing_secrets: missing, training }: ConfigPlan): string {
  const done = changes.filter(({ action }) => action !== 'unmanaged')
  const others = changes.filter(({ action }) => action === 'unmanaged')
  return plain([
    ...drift.map(driftInWords),
    ...done.map(changeInWords),
    ...others.slice(0, MOST_NAMED).map(({ place }) => `? ${inLine(place)} is in no file and stays as it is`),
    ...(others.length > MOST_NAMED ? [`? and ${others.length - MOST_NAMED} more`] : []),
    ...missing.map((name) => `! The secret ${inLine(name)} is missing.`),
    ...(training.sources > 0 ? [`${count(training.sources, 'source')} would be trained, ${training.bytes.toLocaleString('en')} bytes of texts and files.`] : []),
    done.length === 0 ? `No changes; ${count(unchanged, 'object')} ${unchanged === 1 ? 'is' : 'are'} as the files have ${unchanged === 1 ? 'it' : 'them'}.` : summary(done)
  ].join('\n'))
}

const count = (number: number, what: string) => number === 1 ? `One ${what}` : `${number} ${what}s`

function summary (changes: readonly ConfigChange[]): string {
  const of = (action: ConfigChange['action']) => changes.filter((change) => change.action === action).length
  return `To create: ${of('create')}. To change: ${of('change')}. To delete: ${of('delete')}.`
}

function driftInWords ({ place, file, is, who, at, fields }: ConfigDrift): string {
  const by = who === null ? 'somebody' : who.name ?? `user ${who.id}`
  const when = at === null ? '' : ` at ${at.slice(0, 16).replace('T', ' ')} UTC`
  const what = fields.length > 0 ? ` (${fields.join(', ')})` : ''
  return `! ${inLine(place)} was ${is} by ${inLine(by)}${when}${inLine(what)} since ${inLine(file)} was applied`
}

function changeInWords ({ action, place, was, changes, file }: ConfigChange): string {
  const head = `${MARKS[action]} ${action} ${inLine(place)}${was === null ? '' : `, which was ${inLine(was)}`}${file === '' ? '' : `  (${inLine(file)})`}`
  return action === 'change' ? [head, ...changes.flatMap(fieldInWords)].join('\n') : head
}

function fieldInWords ({ field, from, to, lines }: FieldChange): string[] {
  if (!lines) return [`    ${field}: ${valueOf(from)} → ${valueOf(to)}`]
  const marks = { same: ' ', removed: '-', added: '+' }
  const near = new Set(lines.flatMap(({ is }, i) => is === 'same' ? [] : Array.from({ length: 2 * CONTEXT + 1 }, (_, n) => i - CONTEXT + n)))
  return [`    ${field}:`, ...lines.flatMap(({ is, text }, i) => near.has(i) ? [`      ${marks[is]} ${text}`] : [])]
}

const valueOf = (value: unknown) => value === undefined ? 'nothing' : shortened(JSON.stringify(value))

/** The result as text; `isTrained`: the command waited for training. */
export function appliedInWords ({ changes, training, published }: ConfigApplied, isTrained: boolean): string {
  const done = changes.filter(({ action }) => action !== 'unmanaged')
  const trained = count(training.sources, 'source')
  const stage = isTrained
    ? `The training of ${trained.toLowerCase()} has finished.`
    : `${trained} ${training.sources === 1 ? 'is' : 'are'} being trained.`
  return plain([
    done.length === 0 ? 'There was nothing to change.' : `Applied: ${count(done.length, 'change').toLowerCase()}.`,
    ...(training.sources > 0 ? [stage] : []),
    ...published.map(publishedInWords)
  ].join('\n'))
}

function publishedInWords ({ place, version, why }: ConfigPublished): string {
  if (!why) return `Visitors are answered with version ${version} of ${inLine(place)}.`
  const rows = why.questions.map(({ text, verdict, why }) => ({ question: shortened(text), verdict, why: inLine(why) }))
  return [`${inLine(place)} was not published: ${inLine(why.message)}`, ...(rows.length > 0 ? [table(rows, '')] : [])].join('\n')
}
