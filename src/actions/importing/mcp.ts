import type { ParameterDraft } from '../../../schema/actions.ts'
import { inWords } from '../../platform/in-words.ts'
import type { McpTool } from '../contract.ts'
import type { Planned } from './contract.ts'
import { carryObject, carrying, LONGEST_FIELDS, MOST_NOTES, nameOf } from './openapi.ts'

/** A listed value that is a name rather than a sentence. */
const NAME = /^[\w.:+-]{1,40}$/
/** Characters of a server's tool description shown to its reader. */
const LONGEST_SAID = 500

/**
 * Every tool of an MCP server converted to an action. Its claims about its effects are not trusted: each is a write
 * that a visitor confirms, and off. Nor does its text reach the model that chooses: the person who imports the tool
 * reads it, and says in their own words when to use it. Stops between tools.
 */
export function * plannedFromMcp (tools: readonly McpTool[]): Generator<void, Planned[]> {
  const names = new Set<string>()
  const planned: Planned[] = []
  for (const { name, title, description, inputSchema } of tools) {
    yield
    const all = carrying(Object(inputSchema))
    const { notes, into: parameters } = all
    const isEmpty = Object.keys(Object(Object(inputSchema).properties)).length === 0
    const canImport = (isEmpty || carryObject(all, inputSchema, '', true, 0)) && all.left >= 0
    planned.push({
      key: name,
      canImport,
      notes: [
        ...notes.slice(0, MOST_NOTES), 'Check what it does: it is treated as a write that the visitor confirms.', saidOf(name, title, description)
      ],
      draft: {
        name: nameOf(name, names),
        title: inWords(name).slice(0, LONGEST_FIELDS.title),
        when: '',
        effect: 'write',
        method: 'POST',
        path: name,
        parameters: parameters.map(plain),
        confirm: 'visitor',
        enabled: false
      }
    })
  }
  return planned
}

function saidOf (name: string, title: string, description: string): string {
  const said = [title, description].filter((text) => text !== '' && text !== name).join(': ').slice(0, LONGEST_SAID)
  return said ? `The server describes it as: ${said}` : 'The server does not describe it.'
}

/** What of a parameter is no sentence. */
function plain (
  { description: _description, pattern: _pattern, enum: values = [], ...rest }: ParameterDraft
): ParameterDraft {
  return { ...rest, ...(values.every((value) => NAME.test(value)) && { enum: values }) }
}
