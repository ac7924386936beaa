import type { ParameterDraft } from '../../schema/actions.ts'
import type { PlannedAction } from './contract.ts'

/** An HTTP call as another product defines it. Values are `{{ name }}`, also `{{#step.name#}}`. */
export interface Tool {
  /** Its id in the product it comes from. */
  key: string
  name: string
  title: string
  /** When it is to be used. */
  when: string
  method: string
  url: string
  /** The JSON body; values as in the address. */
  body?: string
  parameters: Array<{ name: string, type: string, description: string, isRequired: boolean }>
}

/** Placeholder host for actions whose file gives no address: it resolves to nothing, for a person to replace. */
export const NO_ADDRESS = 'https://address-needed.invalid'

const TYPES = ['string', 'integer', 'number', 'boolean'] as const
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const NAME = /^[A-Za-z0-9_$.[\]-]{1,64}$/
/** A value placeholder in the text of an address or a body. */
const VALUE = /\{\{ ?#?([\w.-]{1,100})#? ?\}\}/g
const WHOLE = /^\{\{ ?#?([\w.-]{1,100})#? ?\}\}$/

/** An action made from a tool; undefined if the tool does more than put values into an address or a body. */
export function actionOf (tool: Tool): PlannedAction | undefined {
  const method = METHODS.find((one) => one === tool.method.toUpperCase())
  // Placeholders stand in for values while the address is parsed.
  const names: string[] = []
  const held = tool.url.slice(0, 2000).replace(VALUE, (_whole, name: string) => `agh${names.push(lastOf(name)) - 1}agh`)
  if (!method || !/^https?:\/\//.test(held) || /[{}%]/.test(held) || !URL.canParse(held)) return undefined
  const url = new URL(held)
  const valueAt = (text: string) => /^agh(\d{1,4})agh$/.exec(text)?.[1]
  if (/agh\d/.test(url.host) || url.username) return undefined
  const path = url.pathname.replace(/agh(\d{1,4})agh/g, (_whole, at: string) => `{${names[Number(at)]}}`)
  const inPath = [...path.matchAll(/\{([^{}]{1,100})\}/g)].map(([, name]) => place(tool, name!, 'path'))
  const query: ParameterDraft[] = []
  for (const [name, value] of url.searchParams) {
    const at = valueAt(value)
    if (at === undefined && /agh\d/.test(value)) return undefined
    if (at === undefined) query.push({ name, in: 'query', type: 'string', from: 'constant', value })
    else if (names[Number(at)] === name) query.push(place(tool, name, 'query'))
    else return undefined
  }
  const body = bodyOf(tool)
  if (!body) return undefined
  const known = new Set([...inPath, ...query, ...body].map(({ name }) => name))
  const rest = tool.parameters.filter(({ name }) => !known.has(name))
    .map(({ name }) => place(tool, name, method === 'GET' || method === 'DELETE' ? 'query' : 'body'))
  const parameters = [...inPath, ...query, ...body, ...rest]
  if (parameters.length > 40 || path.length > 500 || !parameters.every(({ name }) => NAME.test(name))) return undefined
  return {
    key: tool.key,
    connection: { name: url.host.slice(0, 80), base_url: url.origin },
    draft: {
      name: nameOf(tool.name),
      title: tool.title.trim().slice(0, 80) || nameOf(tool.name),
      when: tool.when.slice(0, 1000),
      effect: method === 'GET' ? 'read' : 'write',
      method,
      path,
      parameters
    }
  }
}

/** A valid action name: letters, digits and `_`. */
function nameOf (name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9_]/g, '_').slice(0, 48) || 'action'
}

const lastOf = (name: string) => name.split('.').at(-1)!

function place ({ parameters }: Tool, name: string, where: ParameterDraft['in']): ParameterDraft {
  const found = parameters.find((one) => one.name === name)
  const type = TYPES.find((one) => one === found?.type) ?? 'string'
  return { name, in: where, type, description: (found?.description ?? '').slice(0, 300), required: where === 'path' || (found?.isRequired ?? true) }
}

/** The fields of a body that is a flat object; undefined otherwise. */
function bodyOf (tool: Tool): ParameterDraft[] | undefined {
  if (!tool.body?.trim()) return []
  try {
    // A placeholder without quotes is a value all the same.
    const said: unknown = JSON.parse(tool.body.slice(0, 20_000).replace(/(: ?)(\{\{[^{}"]{1,110}\}\})/g, '$1"$2"'))
    if (typeof said !== 'object' || said === null || Array.isArray(said)) return undefined
    const fields: ParameterDraft[] = []
    for (const [name, value] of Object.entries(said)) {
      const [, given] = typeof value === 'string' ? WHOLE.exec(value) ?? [] : []
      if (given !== undefined) {
        if (lastOf(given) !== name) return undefined
        fields.push(place(tool, name, 'body'))
      } else if (typeof value === 'object' || (typeof value === 'string' && (value.includes('{{') || value.length > 500))) {
        return undefined
      } else {
        fields.push({ name, in: 'body', type: typeof value as 'string', from: 'constant', value: value as string })
      }
    }
    return fields
  } catch {
    return undefined
  }
}
