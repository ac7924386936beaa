import { parse } from 'yaml'
import type { ParameterDraft } from '../../../schema/actions.ts'
import { invalid } from '../../platform/errors.ts'
import { patternFault } from '../definitions/pattern.ts'
import type { Planned } from './contract.ts'

type Json = Record<string, unknown>

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const
const MOST_OPERATIONS = 500
const MOST_DEPTH = 3
const MOST_PARAMETERS = 40
const LONGEST = { title: 80, when: 1000, description: 300, name: 48 }

/** Every operation of a document, in its order. Refuses with VALIDATION_ERROR what is no document of 3.0 or 3.1. */
export function plannedFromOpenapi (given: string | Json): Planned[] {
  const document = read(given)
  const version = String(document['openapi'] ?? '')
  if (!/^3\.[01](?:\.|$)/.test(version)) {
    throw invalid({ field: 'openapi', message: 'This is no OpenAPI document of version 3.0 or 3.1.' })
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

function plannedOf (
  document: Json, path: string, method: typeof METHODS[number], operation: Json, shared: unknown[], names: Set<string>
): Planned {
  const key = `${method.toUpperCase()} ${path}`
  const notes: string[] = []
  const parameters: ParameterDraft[] = []
  const known = new Map<string, Json>()
  for (const one of [...shared, ...listOf(operation['parameters'])]) {
    const parameter = resolved(document, one)
    known.set(`${parameter['in']} ${parameter['name']}`, parameter)
  }
  let isWhole = [...known.values()].map((one) => carry(document, one, parameters, notes)).every(Boolean)
  isWhole = carryBody(document, operation['requestBody'], parameters, notes) && isWhole
  isWhole = methodFits(method, parameters, notes) && isWhole
  const summary = textOf(operation['summary']) || textOf(operation['operationId']) || key
  if (operation['deprecated'] === true) notes.push('It is deprecated.')
  if (operation['callbacks'] !== undefined) notes.push('Its callbacks are left out.')
  const doubles = parameters.filter(({ name }, at) => parameters.findIndex((one) => one.name === name) !== at)
  if (doubles.length > 0) {
    notes.push(`${doubles[0]!.name} is there in two places, which cannot be carried.`)
    isWhole = false
  }
  if (parameters.length > MOST_PARAMETERS) notes.push(`It has more than ${MOST_PARAMETERS} parameters.`)
  const effect = method === 'get' ? 'read' : 'write'
  return {
    key,
    canImport: isWhole && parameters.length <= MOST_PARAMETERS,
    notes,
    draft: {
      name: nameOf(textOf(operation['operationId']) || key, names),
      title: summary.slice(0, LONGEST.title),
      when: textOf(operation['description']).slice(0, LONGEST.when) || summary.slice(0, LONGEST.when),
      effect,
      method: method.toUpperCase() as 'GET',
      path,
      parameters,
      confirm: effect === 'read' ? 'nobody' : 'visitor',
      enabled: false
    }
  }
}

/** A name that no other operation has. */
export function nameOf (text: string, names: Set<string>): string {
  const plain = text.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')
  const base = plain.replace(/^_/, '').slice(0, LONGEST.name - 4).replace(/_$/, '') || 'action'
  let name = base
  for (let n = 2; names.has(name); n++) name = `${base}_${n}`
  names.add(name)
  return name
}

/** Takes a parameter over; false where it is needed and cannot be. */
function carry (document: Json, parameter: Json, into: ParameterDraft[], notes: string[]): boolean {
  const name = textOf(parameter['name'])
  const place = textOf(parameter['in'])
  const required = parameter['required'] === true || place === 'path'
  const cannot = (why: string) => {
    notes.push(`${place} ${name}: ${why}${required ? ', and it is required' : '; it is left out'}.`)
    return !required
  }
  if (place === 'cookie') return cannot('cookies cannot be carried')
  if (place !== 'path' && place !== 'query' && place !== 'header') return cannot('there is no such place')
  if (place === 'header' && /^(accept|content-type|authorization)$/i.test(name)) {
    notes.push(`header ${name}: it is set by itself.`)
    return true
  }
  if (parameter['content'] !== undefined) return cannot('encoded contents cannot be carried')
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
  if (!type) return cannot(`its schema (${textOf(schema['type']) || 'without a type'}) cannot be carried`)
  if (!/^[A-Za-z0-9_$.[\]-]{1,64}$/.test(name)) return cannot('its name cannot be carried')
  const values = listOf(schema['enum']).filter((one) => ['string', 'number', 'boolean'].includes(typeof one)).map(String)
  const pattern = textOf(schema['pattern'])
  const fault = pattern ? patternFault(pattern) ?? (pattern.length > 100 ? 'is too long' : undefined) : undefined
  if (fault) notes.push(`${place} ${name}: its pattern is left out, it ${fault}`)
  if (textOf(schema['format'])) notes.push(`${place} ${name}: its format ${textOf(schema['format'])} is not checked.`)
  const most = type === 'string' ? schema['maxLength'] : schema['maximum']
  const isListed = values.length > 0 && values.length <= 100 && values.every((value) => value.length <= 200)
  into.push({
    name,
    in: place,
    type,
    required,
    description: (told || textOf(schema['description'])).slice(0, LONGEST.description),
    ...(isListed && { enum: values }),
    ...(pattern && !fault && { pattern }),
    ...(typeof most === 'number' && Number.isSafeInteger(most) && most >= 1 && most <= 1_000_000_000 && { max: most })
  })
  return true
}

/** Takes a body over, field by field; false where something of it is needed and cannot be. */
function carryBody (document: Json, given: unknown, into: ParameterDraft[], notes: string[]): boolean {
  if (given === undefined) return true
  const body = resolved(document, given)
  const isNeeded = body['required'] === true
  const json = Object.entries(objectOf(body['content'])).find(([type]) => /^application\/(?:[\w.-]+\+)?json/.test(type))?.[1]
  if (!json) {
    notes.push(`Its body is not JSON${isNeeded ? '' : '; it is left out'}.`)
    return !isNeeded
  }
  return carryObject(document, objectOf(json)['schema'], '', isNeeded, into, notes, 0)
}

/** Takes the fields of an object over; false where one that is needed cannot be. */
export function carryObject (
  document: Json, given: unknown, prefix: string, isNeeded: boolean, into: ParameterDraft[], notes: string[],
  depth: number
): boolean {
  const schema = resolved(document, given)
  const fields = objectOf(schema['properties'])
  const required = new Set(listOf(schema['required']))
  const what = prefix || 'its body'
  if (Object.keys(fields).length === 0 || schema['oneOf'] || schema['anyOf'] || schema['allOf'] || depth > MOST_DEPTH) {
    notes.push(`body ${what}: only objects with fields can be carried${isNeeded ? '' : '; it is left out'}.`)
    return !isNeeded
  }
  return Object.entries(fields).map(([field, one]) => {
    const name = prefix + field
    const inner = resolved(document, one)
    const isRequired = isNeeded && required.has(field)
    if (inner['readOnly'] === true) return true
    if (inner['type'] === 'object' || inner['properties'] !== undefined) {
      return carryObject(document, inner, `${name}.`, isRequired, into, notes, depth + 1)
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
  notes.push('A GET with a body cannot be carried.')
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
    const [start, ...parts] = (at['$ref'] as string).split('/')
    if (start !== '#') return {}
    at = objectOf(parts.reduce<unknown>((whole, part) => {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
      return Object.hasOwn(objectOf(whole), name) ? objectOf(whole)[name] : undefined
    }, document))
  }
  return typeof at['$ref'] === 'string' ? {} : at
}

const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value as Json : {}
const listOf = (value: unknown): unknown[] => Array.isArray(value) ? value : []
const textOf = (value: unknown): string => typeof value === 'string' ? value.trim() : ''
