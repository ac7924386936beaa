import { hash } from 'node:crypto'
import type { ActionRecord, Arguments, Parameter, ShownArgument } from '../../../schema/actions.ts'
import { decided, invalid, Refusal, type FieldError } from '../../platform/errors.ts'
import { looksLike } from '../definitions/pattern.ts'
import { ownProperty } from '../../platform/objects.ts'
import { inWords } from '../../platform/in-words.ts'
import { isLongerThan } from '../../platform/text.ts'

/** What code knows of the person a call is for; null if the business has not vouched for it. */
export interface Identity { externalId: string | null, verifiedEmail: string | null, conversation: string | null }

type Value = string | number | boolean

/** A call ready to be made: every value validated, whatever its origin. */
export interface Bound {
  values: Record<string, Value>
  /** Digest of the current action and the values: any change makes another one. */
  digest: string
}

type Bindable = Pick<ActionRecord, 'id' | 'version' | 'parameters'>

/** Parameters that a model or a form provides: none that code fills in. */
export function askedOf ({ parameters }: Pick<ActionRecord, 'parameters'>): Parameter[] {
  return parameters.filter(({ from }) => from === 'model')
}

/** The JSON schema of an action's arguments, for the model. */
export function schemaOf (action: Pick<ActionRecord, 'parameters'>) {
  const asked = askedOf(action)
  return {
    type: 'object' as const,
    properties: Object.fromEntries(asked.map((parameter) => [parameter.name, propertyOf(parameter)])),
    required: asked.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false
  }
}

function propertyOf ({ type, description, enum: values, max }: Parameter) {
  return {
    type,
    ...(description && { description }),
    ...(values.length > 0 ? { enum: values.map((value) => typed(type, value)) } : type === 'string' && { maxLength: max })
  }
}

/**
 * Validates what a model, a form or a person gave and adds what code knows. Refuses with VALIDATION_ERROR invalid or
 * unknown values, with `not_verified` if it is about somebody whom nobody has vouched for.
 */
export function bind (action: Bindable, given: Arguments, identity: Identity): Bound {
  const faults: FieldError[] = []
  const values: Record<string, Value> = {}
  let unverified: Refusal | undefined
  const asked = new Set(askedOf(action).map(({ name }) => name))
  for (const name of Object.keys(given)) {
    if (!asked.has(name)) faults.push({ field: `arguments.${name}`, message: `${name} is not an argument of this action.` })
  }
  for (const parameter of action.parameters) {
    const value = valueOf(parameter, given, identity)
    if (value instanceof Refusal) {
      unverified = value
      continue
    }
    if (value === undefined || value === '') {
      if (parameter.required) faults.push({ field: `arguments.${parameter.name}`, message: `${parameter.name} is missing.` })
      continue
    }
    const fault = parameter.from === 'model' ? faultIn(parameter, value) : undefined
    if (fault) faults.push({ field: `arguments.${parameter.name}`, message: `${parameter.name} ${fault}` })
    else values[parameter.name] = value
  }
  if (faults.length > 0) throw invalid(...faults)
  if (unverified) throw unverified
  return { values, digest: digestOf(action, values) }
}

/** The same, with the refusal as data. */
export const tryToBind = (action: Bindable, given: Arguments, identity: Identity): Bound | Refusal =>
  decided(() => bind(action, given, identity))

function valueOf (
  { name, from, type, value }: Parameter, given: Arguments, identity: Identity
): Value | undefined | Refusal {
  if (from === 'constant') return value ?? undefined
  if (from === 'conversation') return identity.conversation ?? undefined
  if (from === 'model') {
    const said = ownProperty(given, name)
    return typeof said === 'string' && type !== 'string' ? typed(type, said.trim()) : said
  }
  return (from === 'visitor.external_id' ? identity.externalId : identity.verifiedEmail) ?? new Refusal(
    'not_verified', 'This is available only to visitors whom the business vouches for. Sign in on its site first.'
  )
}

/** A text converted to its parameter's type; unchanged if that is impossible. */
function typed (type: Parameter['type'], text: string): Value {
  if (type === 'boolean') return text === 'true' || (text === 'false' ? false : text)
  if (type === 'string' || text === '' || !Number.isFinite(Number(text))) return text
  return Number(text)
}

/** What is wrong with a value, to follow its name; undefined if nothing is. */
function faultIn ({ type, enum: values, pattern, max }: Parameter, value: Value): string | undefined {
  if (!IS[type](value)) return `must be a ${type}.`
  if (values.length > 0) return values.includes(String(value)) ? undefined : `must be one of: ${values.join(', ')}.`
  if (typeof value === 'number') return Math.abs(value) > max ? `must be at most ${max}.` : undefined
  if (typeof value === 'boolean') return undefined
  if (isLongerThan(value, max)) return `must have at most ${max} characters.`
  if (/\p{Cc}/u.test(value)) return 'must not have control characters.'
  return pattern && !looksLike(pattern, value) ? `must look like ${pattern}.` : undefined
}

/** Whether a value is of a type. */
const IS: Record<Parameter['type'], (value: Value) => boolean> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  number: Number.isFinite,
  integer: Number.isSafeInteger
}

function digestOf ({ id, version }: Bindable, values: Record<string, Value>): string {
  const ordered = Object.entries(values).sort(([a], [b]) => a < b ? -1 : 1)
  return hash('sha256', JSON.stringify([id, version, ordered]), 'base64url').slice(0, 32)
}

/**
 * The arguments as a card shows them: those people provide, not those code fills in; without a description, labelled by
 * the name in words.
 */
export function shownArguments (
  action: Pick<ActionRecord, 'parameters'>, values: Record<string, Value>
): ShownArgument[] {
  return askedOf(action).flatMap(({ name, description }) => {
    const value = ownProperty(values, name)
    return value === undefined ? [] : [{ name, description: description || inWords(name), value: String(value) }]
  })
}
