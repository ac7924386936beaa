import fc from 'fast-check'
import type { Plan } from '../../src/imports/index.ts'
import { respond } from '../../src/imports/child.ts'

/** Reads files as the child does. */
export function asked (files: Record<string, unknown>, from?: string) {
  const given = Object.entries(files).map(([name, value]): [string, Buffer] =>
    [name, Buffer.isBuffer(value) ? value : Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))])
  const task = { from, files: given.map(([name, { length: size }]) => ({ name, size })) }
  return respond(Buffer.concat([Buffer.from(JSON.stringify(task) + '\n'), ...given.map(([, bytes]) => bytes)])) as
    { plan: Plan, error: { code: string, message: string } }
}

/** The places in the files of what had an outcome. */
export const of = ({ report }: Plan, outcome: string) =>
  report.filter((item) => item.outcome === outcome).map(({ at }) => at)

/** Every text in a value. */
export function textsIn (value: unknown): string[] {
  if (typeof value === 'string') return value.trim() ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** A text that is neither in the agents, nor in a source, nor in the report. */
export function lostIn ({ agents, report }: Plan, given: unknown): string | undefined {
  const files = agents.flatMap(({ sources }) => sources.map((source) =>
    ('file' in source ? Buffer.from(source.file, 'base64').toString() : '')))
  const kept = textsIn([agents, files, report.map(({ value }) => value)])
  return textsIn(given).find((text) => !kept.some((one) => one.includes(text.trim())))
}

/** An object with any of these fields. */
export const record = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.record(fields, { requiredKeys: [] })

/** A list of something, occasionally of anything else. */
export const list = (one: fc.Arbitrary<unknown>) => fc.oneof(
  { weight: 4, arbitrary: fc.array(one, { maxLength: 4 }) }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) }
)

/** Asserts that each text survives where it is written with `written`. */
export function nothingIsLost<T> (files: fc.Arbitrary<T>, written: (value: T) => unknown = (value) => value) {
  fc.assert(fc.property(files, (value) => {
    const { plan } = asked({ 'x.json': written(value) })
    const kept = textsIn([plan.agents, plan.report.map(({ value }) => value)])
    for (const text of textsIn(JSON.parse(JSON.stringify(value)))) {
      if (!kept.some((one) => one.includes(text.trim()))) throw new Error(`Lost: ${JSON.stringify(text)}`)
    }
  }), { numRuns: 400 })
}
