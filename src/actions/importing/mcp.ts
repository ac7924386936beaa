import type { ParameterDraft } from '../../../schema/actions.ts'
import type { McpTool } from '../contract.ts'
import type { Planned } from './contract.ts'
import { carryObject, carrying, MOST_NOTES, nameOf } from './openapi.ts'

/** A listed value that is a name and no sentence. */
const NAME = /^[\w.:+-]{1,40}$/
/** Characters of what a server says of a tool that its reader is shown. */
const LONGEST_SAID = 500

/**
 * Every tool of an MCP server as it would become an action. What it says of its effects is not believed: each is a
 * write that a visitor confirms, and off. Nor does anything that it says become something that a model which chooses is
 * told: whoever takes the tool over reads it, and says in their own words when to use it. Stops between tools.
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
        ...notes.slice(0, MOST_NOTES), 'Look at what it does: it is taken for a write that the visitor confirms.', saidOf(name, title, description)
      ],
      draft: {
        name: nameOf(name, names),
        title: titleOf(name),
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
  return said ? `The server says of it: ${said}` : 'The server says nothing of it.'
}

/** `cancel_order` as `Cancel order`. */
function titleOf (name: string): string {
  const words = name.replaceAll(/[_./-]+/g, ' ').trim().slice(0, 80)
  return words.charAt(0).toUpperCase() + words.slice(1) || name
}

/** What of a parameter is no sentence. */
function plain (
  { description: _description, pattern: _pattern, enum: values = [], ...rest }: ParameterDraft
): ParameterDraft {
  return { ...rest, ...(values.every((value) => NAME.test(value)) && { enum: values }) }
}
