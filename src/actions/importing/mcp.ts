import type { ParameterDraft } from '../../../schema/actions.ts'
import type { McpTool } from '../contract.ts'
import type { Planned } from './contract.ts'
import { carryObject, nameOf } from './openapi.ts'

/**
 * Every tool of an MCP server as it would become an action. What it says of its effects is not believed: each is a
 * write that a visitor confirms, and off.
 */
export function plannedFromMcp (tools: readonly McpTool[]): Planned[] {
  const names = new Set<string>()
  return tools.map(({ name, title, description, inputSchema }) => {
    const notes: string[] = []
    const parameters: ParameterDraft[] = []
    const isEmpty = Object.keys(Object(Object(inputSchema).properties)).length === 0
    const canImport = isEmpty || carryObject(Object(inputSchema), inputSchema, '', true, parameters, notes, 0)
    return {
      key: name,
      canImport,
      notes: [...notes, 'Look at what it does: it is taken for a write that the visitor confirms.'],
      draft: {
        name: nameOf(name, names),
        title: title.slice(0, 80),
        when: description.slice(0, 1000),
        effect: 'write',
        method: 'POST',
        path: name,
        parameters,
        confirm: 'visitor',
        enabled: false
      }
    }
  })
}
