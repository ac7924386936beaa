import { stringify } from 'yaml'

/** Values written at once: about 2 ms. */
const VALUES_AT_ONCE = 200

/** What is indented by being an item of a list, or the value of a field. */
const INDENT = '  '

/**
 * A value as YAML, in pieces that each take little time to write, so that others run in between: the library takes
 * 300 ms for a list of ten thousand.
 */
export function * yamlOf (value: unknown): Generator<string> {
  if (!isMuch(value)) yield whole(value)
  else if (Array.isArray(value)) {
    for (const item of value) {
      if (isMuch(item)) yield * asItem(item)
      else yield whole([item])
    }
  } else {
    for (const [name, inner] of Object.entries(value)) {
      if (isMuch(inner)) yield * asField(name, inner)
      else yield whole({ [name]: inner })
    }
  }
}

const whole = (value: unknown) => stringify(value, {
  version: '1.2', schema: 'core', lineWidth: 0, aliasDuplicateObjects: false, blockQuote: 'literal'
})

/** The first line follows the dash, the others are below it. */
function * asItem (value: unknown): Generator<string> {
  let isFirst = true
  for (const piece of yamlOf(value)) {
    const inner = indented(piece)
    yield isFirst ? `- ${inner.slice(INDENT.length)}` : inner
    isFirst = false
  }
}

function * asField (name: string, value: unknown): Generator<string> {
  yield whole({ [name]: null }).replace(/ null\n$/, '\n')
  for (const piece of yamlOf(value)) yield indented(piece)
}

/** Lines of a text that are empty stay so. */
const indented = (yaml: string) => yaml.replaceAll(/^(?=.)/gm, INDENT)

/** Whether it holds more values than are written at once; stops counting there. */
function isMuch (value: unknown): value is object {
  let left = VALUES_AT_ONCE
  const waiting: unknown[] = [value]
  while (waiting.length > 0 && left > 0) {
    const one = waiting.pop()
    if (typeof one !== 'object' || one === null) continue
    for (const inner of Object.values(one)) {
      waiting.push(inner)
      if (--left === 0) break
    }
  }
  return left === 0
}
