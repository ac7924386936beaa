import type { ActionDraft, ActionPatch, ActionRecord, Parameter, ParameterDraft } from '../../../schema/actions.ts'
import { DEFAULTS } from '../../../schema/sqlite/completed.ts'
import { invalid, Refusal, type FieldError } from '../../platform/errors.ts'
import { patternFault } from './pattern.ts'

/** Actions that an account may have. */
const MOST_ACTIONS = 200
/** Headers that only we set. */
const OUR_HEADERS =
  /^(?:host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|cookie|authorization|proxy-.*|idempotency-key|user-agent|accept|accept-encoding)$/i
const HEADER = /^[A-Za-z0-9-]+$/
const CHANGING = ['PUT', 'PATCH', 'DELETE']

/** The settings of an action. */
export type Decided = Omit<ActionRecord, 'id' | 'owner' | 'version' | 'schema_digest' | 'created_at' | 'updated_at'>

/**
 * A new action, given how many the account has. Refuses with `limit_reached` one too many, with VALIDATION_ERROR what
 * is invalid or not allowed.
 */
export function decideAction (draft: ActionDraft, count: number, isMcp: boolean): Decided {
  if (count >= MOST_ACTIONS) {
    throw new Refusal('limit_reached', `An account may have ${MOST_ACTIONS} actions. Remove one that is not needed.`)
  }
  const { effect, parameters = [], result = {}, limits = {} } = draft
  return checked({
    connection: draft.connection,
    name: draft.name,
    title: draft.title,
    when: draft.when ?? '',
    effect,
    method: draft.method,
    path: draft.path,
    parameters: parameters.map(completeParameter),
    result: { ...DEFAULTS.actionResult, ...result },
    confirm: draft.confirm ?? (effect === 'read' ? 'nobody' : 'visitor'),
    needs_verified: draft.needs_verified ?? false,
    as_form: draft.as_form ?? false,
    button: draft.button ?? '',
    limits: { ...DEFAULTS.actionLimits, ...limits },
    lookup: draft.lookup ?? null,
    enabled: draft.enabled ?? false
  }, isMcp)
}

/** An action after a change. Refuses as `decideAction` does. */
export function changedAction (kept: Decided, patch: ActionPatch, isMcp: boolean): Decided {
  const { parameters, result, limits, ...rest } = patch
  return checked({
    ...kept,
    ...rest,
    ...(parameters && { parameters: parameters.map(completeParameter) }),
    result: { ...kept.result, ...result },
    limits: { ...kept.limits, ...limits }
  }, isMcp)
}

/** A parameter with its defaults. */
export function completeParameter (draft: ParameterDraft): Parameter {
  const isNumber = draft.type === 'integer' || draft.type === 'number'
  return {
    ...DEFAULTS.parameter,
    ...(isNumber && { max: 1_000_000_000 }),
    ...(draft.in === 'path' && { required: true }),
    ...draft
  }
}

function checked (action: Decided, isMcp: boolean): Decided {
  const faults = [
    ...(isMcp ? toolFaults(action) : [...pathFaults(action), ...methodFaults(action)]),
    ...action.parameters.flatMap((parameter, at) => parameterFaults(parameter, `parameters[${at}]`)),
    ...doubleFaults(action),
    ...confirmFaults(action)
  ]
  if (faults.length > 0) throw invalid(...faults)
  return action
}

/**
 * Text by strangers may only choose among values that the business has listed if nobody confirms: an unconfirmed write
 * has no argument that a model may word freely.
 */
function confirmFaults ({ effect, confirm, parameters }: Decided): FieldError[] {
  if (effect === 'read' || confirm !== 'nobody') return []
  const free = parameters.filter(({ from, enum: values }) => from === 'model' && values.length === 0)
  return free.length === 0
    ? []
    : [{
        field: 'confirm',
        message: `A write that nobody confirms takes only values that you list or that are put in by code. Give ${free.map(({ name }) => name).join(', ')} an enum, or let a visitor or a person confirm.`
      }]
}

function methodFaults ({ effect, method }: Decided): FieldError[] {
  return effect === 'read' && CHANGING.includes(method)
    ? [{ field: 'effect', message: `${method} changes something, so its effect must be write.` }]
    : []
}

function toolFaults ({ path, parameters }: Decided): FieldError[] {
  return [
    ...(/^[A-Za-z0-9_./-]{1,128}$/.test(path) ? [] : [{ field: 'path', message: 'path must be the name of a tool here.' }]),
    ...parameters.flatMap(({ in: place }, at) => place === 'body'
      ? []
      : [{
          field: `parameters[${at}].in`, message: 'Arguments of a tool must be in its body.'
        }])
  ]
}

function pathFaults ({ path, parameters }: Decided): FieldError[] {
  const named = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name!)
  const inPath = parameters.filter(({ in: place }) => place === 'path').map(({ name }) => name)
  const rest = path.replaceAll(/\{[^{}]*\}/g, 'x')
  const isPlain = path.startsWith('/') && !/[{}]|\/\/|\/\.{1,2}(?:\/|$)|%2e|%2f|%5c/i.test(rest)
  return [
    ...(isPlain ? [] : [{ field: 'path', message: 'path must begin with / and have no .., // or escaped slashes.' }]),
    ...named.filter((name) => !inPath.includes(name)).map((name) => ({
      field: 'path', message: `{${name}} is not a parameter with in: path.`
    })),
    ...inPath.filter((name) => !named.includes(name)).map((name) => ({
      field: 'path', message: `path has no {${name}}, which is a parameter in it.`
    }))
  ]
}

function doubleFaults ({ parameters }: Decided): FieldError[] {
  return parameters.flatMap(({ name }, at) => parameters.findIndex((one) => one.name === name) === at
    ? []
    : [{
        field: `parameters[${at}].name`, message: `${name} appears twice.`
      }])
}

function parameterFaults (parameter: Parameter, field: string): FieldError[] {
  const { name, in: place, required, from, value, pattern, enum: values, type } = parameter
  const fault = (what: string, message: string) => [{ field: `${field}.${what}`, message }]
  const unreadable = pattern ? patternFault(pattern) : undefined
  return [
    ...(place === 'path' && !required ? fault('required', 'A parameter in the path must be required.') : []),
    ...(place === 'header' && (!HEADER.test(name) || OUR_HEADERS.test(name))
      ? fault('name', `An action cannot set the header ${name}.`)
      : []),
    ...(from === 'constant' && value === null ? fault('value', 'A constant needs a value.') : []),
    ...(from !== 'constant' && value !== null ? fault('value', 'Only a constant may have a value.') : []),
    ...(unreadable ? fault('pattern', `pattern ${unreadable}`) : []),
    ...(values.some((one) => !fits(type, one)) ? fault('enum', `Each value must be a ${type}.`) : []),
    ...(/^(?:__proto__|constructor|prototype)$/m.test(name.split('.').join('\n')) ? fault('name', `${name} cannot be used.`) : [])
  ]
}

function fits (type: Parameter['type'], value: string): boolean {
  if (type === 'string') return true
  if (type === 'boolean') return value === 'true' || value === 'false'
  return value.trim() !== '' && (type === 'integer' ? Number.isSafeInteger(Number(value)) : Number.isFinite(Number(value)))
}
