import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { distance } from 'fastest-levenshtein'
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from '@sinclair/typebox'
import { invalid, type BrokenRule, type FieldError, type Refusal } from '../errors.ts'
import { fieldName, inBoundedTime, withFewItems } from './bodies/json.ts'
import { lazily } from '../lazily.ts'
import { isBlank } from '../text.ts'
import { atOnce } from '../work/slices.ts'

const MAX_DETAILS = 20
const LONGEST_WORD = 64
/** Items of a list that are checked for all errors. */
const MOST_EXPLAINED = 100

/** Another name under which a body may contain a property; never used in answers. */
const OTHER_SPELLING = 'x-other-spelling'

const checking = (allErrors: boolean) =>
  inBoundedTime(new Ajv({
    strict: true,
    allowUnionTypes: true,
    strictTypes: false,
    validateFormats: false,
    verbose: true,
    allErrors,
    // Tidying the code of a validator takes as long as writing it; it checks no faster.
    code: { optimize: false }
  })).addVocabulary([OTHER_SPELLING, 'example'])
const quick = lazily(() => checking(false))
// Collects every violated field, so it runs only on what the quick one has refused; json.ts bounds how much that can
// be.
const thorough = lazily(() => checking(true))

/**
 * Bodies are strict: nothing is coerced and nothing unknown is dropped. Path and query are text, so plain numbers and
 * booleans are parsed. All violated fields are reported together, at most 20.
 */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const check = quick().compile(schema)
  const spellings = Object.entries<TSchema>(schema.properties ?? {}).flatMap(([name, { [OTHER_SPELLING]: other }]) =>
    other ? [{ name, other }] : []
  )
  let explaining: ValidateFunction | undefined
  const explain = () => (explaining ??= thorough().compile(schema))
  const validate = (received: unknown) => {
    const value = httpPart === 'body' ? received ?? {} : readTexts(schema, received as Record<string, unknown>)
    const used = spellings.filter(({ name, other }) => respell(value, name, other))
    if (check(value)) return { value }
    const thoroughly = explain()
    const [first] = check.errors!
    thoroughly(withFewItems(value, MOST_EXPLAINED))
    // The first error is reported wherever it is: it may be beyond the items that are checked.
    const errors = [first!, ...thoroughly.errors ?? []]
    // They name what was received, which would stay in memory until something else is refused by this schema.
    check.errors = thoroughly.errors = null
    return { error: invalid(...details(errors, (field) => used.find(({ name }) => name === field)?.other ?? field)) }
  }
  // For bodies, whose schemas are large, it is compiled in advance together with the other.
  return Object.assign(validate, httpPart === 'body' && { explain })
}

/** Renames a property from its alias to its name. When both are sent the alias stays and is refused as unknown. */
function respell (value: unknown, name: string, other: string): boolean {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, other) || Object.hasOwn(value, name)) {
    return false
  }
  const body = value as Record<string, unknown>
  body[name] = body[other]
  return delete body[other]
}

function readTexts (schema: TSchema, received: Record<string, unknown>) {
  const value: Record<string, unknown> = { ...received }
  for (const [name, text] of Object.entries(value)) {
    const type = schema.properties?.[name]?.type
    if (type === 'integer' && /^-?\d{1,16}$/.test(String(text))) value[name] = Number(text)
    if (type === 'boolean' && (text === 'true' || text === 'false')) value[name] = text === 'true'
  }
  return value
}

/** One sentence per field; a field that breaks several rules is named once. */
function details (errors: ErrorObject[], spelling: (field: string) => string): FieldError[] {
  const found = new Map<string, FieldError>()
  for (const error of errors) {
    const field = spelling(fieldOf(error))
    if (!found.has(field) && error.keyword !== 'anyOf') {
      const message = `${field} ${sentence(error, errors)}`.replace(/[^?]$/, '$&.')
      found.set(field, { field, message, rule: ruleOf(error) })
    }
    if (found.size === MAX_DETAILS) break
  }
  return [...found.values()]
}

/** Rules by their names in a refusal. */
const RULES: Record<string, string> = {
  required: 'required',
  minProperties: 'required',
  additionalProperties: 'unknown_field',
  type: 'wrong_type',
  enum: 'not_offered',
  const: 'not_offered',
  minLength: 'too_short',
  maxLength: 'too_long',
  minItems: 'too_few',
  maxItems: 'too_many',
  minimum: 'too_small',
  maximum: 'too_large',
  uniqueItems: 'repeated',
  pattern: 'wrong_form'
}

/** Which rule a field breaks, and what it allows, for programs that word it themselves. */
function ruleOf ({ keyword, params, parentSchema, data }: ErrorObject): BrokenRule {
  const isEmpty = keyword === 'pattern' ? saysNothing(data) : keyword === 'minLength' && params.limit === 1
  const code = isEmpty ? 'required' : RULES[keyword]
  const example: unknown = parentSchema?.examples?.[0]
  return {
    ...(code && { code }),
    ...(typeof params.limit === 'number' && { limit: params.limit }),
    ...(code === 'wrong_form' && typeof example === 'string' && { example })
  }
}

function fieldOf ({ instancePath, keyword, params }: ErrorObject) {
  // None of our properties is a number, so a number is an index.
  const path = instancePath.split('/').slice(1).map((step) => /^\d+$/.test(step) ? Number(step) : step)
  if (keyword === 'required') path.push(params.missingProperty)
  if (keyword === 'additionalProperties') path.push(params.additionalProperty)
  return fieldName(path)
}

function sentence (error: ErrorObject, errors: ErrorObject[]): string {
  const { keyword, params, parentSchema, data } = error
  switch (keyword) {
    case 'required':
      return 'is required'
    case 'additionalProperties':
      return `is not a known field${nearest(params.additionalProperty, Object.keys(parentSchema?.properties ?? {}))}`
    case 'type':
      return `must be ${kind(params.type)}`
    case 'enum':
      return `must be ${list((params.allowedValues as unknown[]).map((value) => JSON.stringify(value)))}`
    case 'const':
      return `must be ${list(alternatives(error, errors))}`
    case 'minLength':
      return params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} characters`
    case 'maxLength':
      return `must have at most ${params.limit} characters`
    case 'minItems':
      return `must have at least ${params.limit} ${params.limit === 1 ? 'item' : 'items'}`
    case 'maxItems':
      return `must have at most ${params.limit} items`
    case 'minimum':
      return `must be at least ${params.limit}`
    case 'maximum':
      return `must be at most ${params.limit}`
    case 'minProperties':
      return 'must name at least one field'
    case 'uniqueItems':
      return 'must not hold the same item twice'
    case 'pattern':
      return saysNothing(data) ? 'must not be blank' : patternSentence(parentSchema, data)
    default:
      return 'is not valid'
  }
}

/** The values allowed in place of this constant: each that a union lists is a separate error. */
function alternatives ({ instancePath }: ErrorObject, errors: ErrorObject[]): string[] {
  const there = errors.filter((error) => error.keyword === 'const' && error.instancePath === instancePath)
  return [...new Set(there.map(({ params }) => JSON.stringify(params.allowedValue)))]
}

const saysNothing = (data: unknown): boolean => typeof data === 'string' && data !== '' && isBlank(data)

function patternSentence (schema: ErrorObject['parentSchema'], data: unknown) {
  const example = schema?.examples?.[0]
  const rule = schema?.description
  if (rule && String(data).includes('{{')) return `is not acceptable: ${rule}`
  return example === undefined
    ? 'does not have the expected form'
    : `does not have the expected form, for example ${JSON.stringify(example)}`
}

function kind (type: string | string[]): string {
  const names: Record<string, string> = {
    string: 'a string',
    integer: 'an integer',
    number: 'a number',
    boolean: 'true or false',
    object: 'an object',
    array: 'an array',
    null: 'null'
  }
  return list([type].flat().map((name) => names[name]!))
}

function list (items: string[]) {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} or ${items.at(-1)}`
}

/** `; did you mean "name"?` when a known word is similar enough, else nothing. */
export function nearest (word: string, known: string[]): string {
  // Comparing takes time proportional to both lengths, and nothing of ours is that long.
  if (word.length > LONGEST_WORD) return ''
  const [best] = known.map((candidate) => ({ candidate, far: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.far - b.far)
  return best && best.far <= Math.max(2, word.length / 3) ? `; did you mean "${best.candidate}"?` : ''
}

/** What a value violates in a schema, worded as for a request's body; empty if valid. Compiled with the first value. */
export function faultsBy (schema: TSchema): (value: unknown) => readonly FieldError[] {
  const find = faultsInSteps(schema)
  return (value) => atOnce(find(value))
}

/** The same in steps: compiling takes longer than checking; what checks and what describes faults are one each. */
export function faultsInSteps (schema: TSchema): (value: unknown) => Generator<void, readonly FieldError[]> {
  const validator = lazily(() => compileValidator({ schema, httpPart: 'body', method: 'POST', url: '' }))
  const explainable = lazily(() => { (validator() as { explain?: () => void }).explain?.() })
  return function * (value) {
    const validate = validator()
    yield
    explainable()
    yield
    return (validate(value) as { error?: Refusal }).error?.details ?? []
  }
}
