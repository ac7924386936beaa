import { parse } from 'yaml'
import type { ParameterDraft } from '../../../schema/actions.ts'
import { invalid } from '../../platform/errors.ts'
import { inWords } from '../../platform/in-words.ts'
import { patternFault } from '../definitions/pattern.ts'
import type { Planned } from './contract.ts'
import { objectOf } from '../../platform/objects.ts'

type Json = Record<string, unknown>

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const
const MOST_OPERATIONS = 500
const MOST_DEPTH = 3
const MOST_PARAMETERS = 40
/** Parameters and fields read per operation: self-references may yield any number. */
const MOST_LOOKED_AT = 400
/** Maximum values of an enum, and the length of each; people cannot choose from a longer one. */
const [MOST_VALUES, LONGEST_VALUE] = [100, 200]
const [LONGEST_REFERENCE, LONGEST_PATTERN] = [500, 100]
/** Characters of a text that are read, and of what a note repeats; notes on one operation. */
const [LONGEST_TEXT, LONGEST_TOLD] = [2000, 200]
export const MOST_NOTES = 20
/** Maximum characters stored of a document's texts. */
export const LONGEST_FIELDS = { title: 80, when: 1000, description: 300, name: 48 }

/** Every operation of a document, in its order. Refuses with VALIDATION_ERROR what is no document of 3.0 or 3.1. */
export function plannedFromOpenapi (given: string | Json): Planned[] {
  const document = read(given)
  const version = String(document['openapi'] ?? '')
  if (!/^3\.[01](?:\.|$)/.test(version)) {
    throw invalid({ field: 'openapi', message: 'This is not an OpenAPI document of version 3.0 or 3.1.' })
  }
  const names = new Set<string>()
  const planned: Planned[] = []
  for (const [path, item] of Object.entries(objectOf(document['paths']))) {
    const shared = listOf(objectOf(item)['parameters'])
    for (const method of METHODS) {
      const operation = objectOf(item)[method]
      if (typeof operation !== 'object' || operation === null) continue
      if (planned.length === MOST_OPERATIONS) return planned
      planned.push(plannedOf(document, path, method, operation as Json, shared, names))
    }
  }
  return planned
}

function read (given: string | Json): Json {
  if (typeof given !== 'string') return given
  try {
    // Without aliases: a few lines of them make a document of any size.
    const document: unknown = given.trimStart().startsWith('{') ? JSON.parse(given) : parse(given, { maxAliasCount: 0 })
    return objectOf(document)
  } catch {
    throw invalid({ field: 'openapi', message: 'The document can be read neither as JSON nor as YAML (without aliases).' })
  }
}

/** The state of a conversion: the document, the parameters so far, the remarks, and how many are left. */
interface Carrying { document: Json, into: ParameterDraft[], notes: string[], left: number }

/** The initial state of a conversion. */
export const carrying = (document: Json): Carrying => ({ document, into: [], notes: [], left: MOST_LOOKED_AT })

function plannedOf (
  document: Json, path: string, method: typeof METHODS[number], operation: Json, shared: unknown[], names: Set<string>
): Planned {
  const key = `${method.toUpperCase()} ${path}`
  const all = carrying(document)
  const { notes, into: parameters } = all
  let isWhole = carryParameters(all, shared, listOf(operation['parameters']))
  isWhole = carryBody(all, operation['requestBody']) && isWhole
  isWhole = methodFits(method, parameters, notes) && isWhole
  const summary = textOf(operation['summary']) || inWords(textOf(operation['operationId']) || bare(method, path))
  if (operation['deprecated'] === true) notes.push('It is deprecated.')
  if (operation['callbacks'] !== undefined) notes.push('Its callbacks are left out.')
  const double = doubleIn(parameters)
  if (double !== undefined) {
    notes.push(`${double} is there in two places, which is not supported.`)
    isWhole = false
  }
  const isTooMuch = parameters.length > MOST_PARAMETERS || all.left < 0
  if (isTooMuch) notes.push(`It has more than ${MOST_PARAMETERS} parameters.`)
  const effect = method === 'get' ? 'read' : 'write'
  return {
    key,
    canImport: isWhole && !isTooMuch,
    notes: notes.slice(0, MOST_NOTES),
    draft: {
      name: nameOf(textOf(operation['operationId']) || key, names),
      title: summary.slice(0, LONGEST_FIELDS.title),
      when: textOf(operation['description']).slice(0, LONGEST_FIELDS.when) || summary.slice(0, LONGEST_FIELDS.when),
      effect,
      method: method.toUpperCase() as 'GET',
      path,
      parameters: isTooMuch ? [] : parameters,
      confirm: effect === 'read' ? 'nobody' : 'visitor',
      enabled: false
    }
  }
}

/** What is done at a path, without what is put into it. */
const bare = (method: string, path: string) => `${method} ${path.replaceAll(/\{[^{}]*\}/g, '')}`

/** Converts the parameters of a path and an operation; false if a required one cannot be converted. */
function carryParameters (all: Carrying, shared: unknown[], ofOperation: unknown[]): boolean {
  all.left -= shared.length + ofOperation.length
  if (all.left < 0) return false
  const known = new Map<string, Json>()
  for (const one of [...shared, ...ofOperation]) {
    const parameter = resolved(all.document, one)
    known.set(`${textOf(parameter['in'])} ${textOf(parameter['name'])}`, parameter)
  }
  return [...known.values()].map((one) => carry(all, one)).every(Boolean)
}

/** The name of an existing parameter. */
function doubleIn (parameters: readonly ParameterDraft[]): string | undefined {
  const names = new Set<string>()
  return parameters.find(({ name }) => names.size === names.add(name).size)?.name
}

/** A name that no other operation has. */
export function nameOf (text: string, names: Set<string>): string {
  const plain = text.slice(0, LONGEST_TOLD).replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')
  const base = plain.replace(/^_/, '').slice(0, LONGEST_FIELDS.name - 4).replace(/_$/, '') || 'action'
  let name = base
  for (let n = 2; names.has(name); n++) name = `${base}_${n}`
  names.add(name)
  return name
}

/** Converts a parameter; false if it is required and cannot be converted. */
function carry ({ document, into, notes }: Carrying, parameter: Json): boolean {
  const name = textOf(parameter['name']).slice(0, LONGEST_TOLD)
  const place = textOf(parameter['in'])
  const required = parameter['required'] === true || place === 'path'
  const cannot = (why: string) => {
    notes.push(`${place} ${name}: ${why}${required ? ', and it is required' : '; it is left out'}.`)
    return !required
  }
  if (place === 'cookie') return cannot('cookies are not supported')
  if (place !== 'path' && place !== 'query' && place !== 'header') return cannot('there is no such place')
  if (place === 'header' && /^(accept|content-type|authorization)$/i.test(name)) {
    notes.push(`header ${name}: it is set automatically.`)
    return true
  }
  if (parameter['content'] !== undefined) return cannot('encoded contents are not supported')
  return carryValue({
    document, schema: parameter['schema'], name, place, required, told: textOf(parameter['description']), into, notes, cannot
  })
}

interface Value {
  document: Json
  schema: unknown
  name: string
  place: 'path' | 'query' | 'header' | 'body'
  required: boolean
  told: string
  into: ParameterDraft[]
  notes: string[]
  cannot: (why: string) => boolean
}

function carryValue ({ document, schema: given, name, place, required, told, into, notes, cannot }: Value): boolean {
  const schema = resolved(document, given)
  const type = typeOf(schema)
  if (!type) return cannot(`its schema (${textOf(schema['type']).slice(0, LONGEST_TOLD) || 'without a type'}) is not supported`)
  if (!/^[A-Za-z0-9_$.[\]-]{1,64}$/.test(name)) return cannot('its name is not supported')
  const listed = listOf(schema['enum'])
  const values = listed.slice(0, MOST_VALUES + 1).filter((one) => ['string', 'number', 'boolean'].includes(typeof one)).map(String)
  const pattern = textOf(schema['pattern'])
  const fault = pattern ? faultOf(pattern) : undefined
  if (fault) notes.push(`${place} ${name}: its pattern is left out, it ${fault}`)
  const format = textOf(schema['format']).slice(0, LONGEST_TOLD)
  if (format) notes.push(`${place} ${name}: its format ${format} is not checked.`)
  const most = type === 'string' ? schema['maxLength'] : schema['maximum']
  const isListed = values.length > 0 && listed.length <= MOST_VALUES &&
    values.every((value) => value.length <= LONGEST_VALUE)
  into.push({
    name,
    in: place,
    type,
    required,
    description: (told || textOf(schema['description'])).slice(0, LONGEST_FIELDS.description),
    ...(isListed && { enum: values }),
    ...(pattern && !fault && { pattern }),
    ...(typeof most === 'number' && Number.isSafeInteger(most) && most >= 1 && most <= 1_000_000_000 && { max: most })
  })
  return true
}

const faultOf = (pattern: string) => pattern.length > LONGEST_PATTERN ? 'is too long' : patternFault(pattern)

/** Converts a body, field by field; false if a required part cannot be converted. */
function carryBody (all: Carrying, given: unknown): boolean {
  if (given === undefined) return true
  const { document, notes } = all
  const body = resolved(document, given)
  const isNeeded = body['required'] === true
  const json = Object.entries(objectOf(body['content'])).find(([type]) => /^application\/(?:[\w.-]+\+)?json/.test(type))?.[1]
  if (!json) {
    notes.push(`Its body is not JSON${isNeeded ? '' : '; it is left out'}.`)
    return !isNeeded
  }
  return carryObject(all, objectOf(json)['schema'], '', isNeeded, 0)
}

/** Converts the fields of an object; false if a required one cannot be converted. */
export function carryObject (
  all: Carrying, given: unknown, prefix: string, isNeeded: boolean, depth: number
): boolean {
  const { document, into, notes } = all
  const schema = resolved(document, given)
  const fields = objectOf(schema['properties'])
  const names = Object.keys(fields)
  all.left -= names.length
  if (all.left < 0) return false
  const required = new Set(listOf(schema['required']).slice(0, MOST_LOOKED_AT))
  const what = prefix || 'its body'
  if (names.length === 0 || schema['oneOf'] || schema['anyOf'] || schema['allOf'] || depth > MOST_DEPTH) {
    notes.push(`body ${what}: only objects with fields are supported${isNeeded ? '' : '; it is left out'}.`)
    return !isNeeded
  }
  return Object.entries(fields).map(([field, one]) => {
    const name = prefix + field.slice(0, LONGEST_TOLD)
    const inner = resolved(document, one)
    const isRequired = isNeeded && required.has(field)
    if (inner['readOnly'] === true) return true
    if (inner['type'] === 'object' || inner['properties'] !== undefined) {
      return carryObject(all, inner, `${name}.`, isRequired, depth + 1)
    }
    return carryValue({
      document,
      schema: inner,
      name,
      place: 'body',
      required: isRequired,
      told: '',
      into,
      notes,
      cannot (why) {
        notes.push(`body ${name}: ${why}${isRequired ? ', and it is required' : '; it is left out'}.`)
        return !isRequired
      }
    })
  }).every(Boolean)
}

function methodFits (method: string, parameters: ParameterDraft[], notes: string[]): boolean {
  if (method !== 'get' || !parameters.some(({ in: place }) => place === 'body')) return true
  notes.push('A GET with a body is not supported.')
  return false
}

function typeOf (schema: Json): ParameterDraft['type'] | undefined {
  // 3.1 has lists of types, of which null is one.
  const types = (Array.isArray(schema['type']) ? schema['type'] : [schema['type']]).filter((one) => one !== 'null')
  const [type] = types.length === 1 ? types : []
  return type === 'string' || type === 'integer' || type === 'number' || type === 'boolean' ? type : undefined
}

/** What a reference within the document names, through a few of them. */
function resolved (document: Json, given: unknown): Json {
  let at = objectOf(given)
  for (let hops = 0; typeof at['$ref'] === 'string' && hops < 8; hops++) {
    const reference = at['$ref'] as string
    if (reference.length > LONGEST_REFERENCE) return {}
    const [start, ...parts] = reference.split('/')
    if (start !== '#') return {}
    at = objectOf(parts.reduce<unknown>((whole, part) => {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
      return Object.hasOwn(objectOf(whole), name) ? objectOf(whole)[name] : undefined
    }, document))
  }
  return typeof at['$ref'] === 'string' ? {} : at
}

const listOf = (value: unknown): unknown[] => Array.isArray(value) ? value : []
const textOf = (value: unknown): string => typeof value === 'string' ? value.slice(0, LONGEST_TEXT).trim() : ''
