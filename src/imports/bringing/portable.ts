import type { PortableAgent } from '../../sources/index.ts'
import type { PlannedAgent } from '../contract.ts'

/** A planned agent in the file format that agents are created from. */
export function portable ({ fields, sources }: PlannedAgent): PortableAgent {
  const root: PortableAgent['folders'][number] = { id: 1, parent: null, name: 'All' }
  const made = sources.map((source): PortableAgent['sources'][number] => {
    const common = { type: source.type, title: source.title, folder: root.id, is_selected: true }
    if ('text' in source) return { ...common, plain_text: source.text }
    if ('url' in source) return { ...common, urls: [source.url] }
    return { ...common, file_name: source.name, file: source.file }
  })
  return { format: 'agenthall-agent', version: 1, agent: fields, folders: [root], sources: made }
}
