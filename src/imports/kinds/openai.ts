import { actionOf, NO_ADDRESS } from '../actions.ts'
import type { ImportFile, Kind, PlannedAction, PlannedAgent, PlannedSource } from '../contract.ts'
import { agentFrom } from '../fields.ts'
import type { Part } from '../ledger.ts'
import { objectOf } from '../../platform/objects.ts'

const HOUSEKEEPING = ['id', 'object', 'created_at', 'first_id', 'last_id', 'has_more'] as const
const SEARCHES = ['file_search', 'retrieval']
const NO_ADDRESS_YET =
  'It is an action, switched off. What answered it was a program of yours: say in its connection where that is, and in the action how to call it.'
const NO_FUNCTION = 'It is more than an imported action can do. Make one in Actions, by hand.'
const UNUSED = 'No assistant used this file. Add it to an agent separately if it should know it.'

/** Assistants, their vector stores' files and the files' contents, as dumped from OpenAI's API. */
export const openai: Kind = {
  name: 'openai',
  title: 'OpenAI Assistants',
  detect: (files) => files.some(({ value }) => listed(value).some((one) => kindOfValue(one) === 'assistant')),
  read (files, ledger) {
    const parts = files.flatMap(({ name, value }) => partsOf(ledger.open(name, value)))
    const known = new Map(parts.filter((part) => kindOf(part) === 'file').map((part) => [part.get('id').text, part]))
    const stores = parts.filter((part) => kindOf(part) === 'vector_store.file')
    const given = contents(files, [...known.values()])
    const agents = parts.filter((part) => kindOf(part) === 'assistant').map((part) => {
      const agent = assistant(part)
      agent.sources = sourcesOf(filesOf(part, stores), known, given)
      return agent
    })
    for (const part of [...known.values(), ...stores]) part.ignored('It only says where a file was stored.')
    const used = new Set(agents.flatMap(({ sources }) => sources.map(({ key }) => key)))
    for (const [id, file] of given) {
      if (used.has(id)) ledger.note({ at: file.name, outcome: 'carried', to: 'sources' })
      else ledger.note({ at: file.name, outcome: 'not_carried', why: UNUSED })
    }
    return agents
  }
}

function assistant (part: Part): PlannedAgent {
  const agent = agentFrom({
    key: part.get('id').text,
    name: part.get('name'),
    prompt: part.get('instructions'),
    description: part.get('description'),
    model: part.get('model'),
    temperature: part.get('temperature')
  })
  for (const name of HOUSEKEEPING) part.get(name).ignored('It only says how the assistant was stored.')
  for (const tool of part.get('tools').list()) {
    const type = tool.get('type').text
    if (type === 'function') agent.actions = [...agent.actions ?? [], ...functionOf(tool)]
    else if (SEARCHES.includes(type)) tool.changed('sources', 'An agent always searches what it knows, with settings of its own.')
    else tool.dropped('Agents run no code here.')
  }
  part.get('metadata').dropped('Agents have no labels. Write what matters into the description.')
  part.get('response_format').dropped('Answers are text for people.')
  part.get('reasoning_effort').dropped('The server chooses it for each model.')
  return agent
}

/** A function as an action without an address. */
function functionOf (tool: Part): PlannedAction[] {
  const called = tool.get('function')
  const name = called.get('name').text
  const { properties = {}, required } = objectOf(called.get('parameters').value)
  const action = actionOf({
    key: name,
    name,
    title: name.replaceAll('_', ' '),
    when: called.get('description').text,
    method: 'POST',
    url: `${NO_ADDRESS}/${encodeURIComponent(name)}`,
    parameters: Object.entries(objectOf(properties)).map(([name, said]) => {
      const { type, description } = objectOf(said)
      return {
        name,
        type: typeof type === 'string' ? type : '',
        description: typeof description === 'string' ? description : '',
        isRequired: Array.isArray(required) && required.includes(name)
      }
    })
  })
  if (action) tool.changed('actions', NO_ADDRESS_YET)
  else tool.dropped(NO_FUNCTION)
  return action ? [action] : []
}

/** The ids of an assistant's files: those of its vector stores, and its own from before those existed. */
function filesOf (part: Part, stores: Part[]): Part[] {
  const resources = part.get('tool_resources')
  const ids = new Set(resources.get('file_search', 'vector_store_ids').list().map(({ text }) => text))
  resources.ignored('Where its files were stored; they are listed one by one.')
  const old = part.get('file_ids').list()
  const ofStores = stores.filter((one) => ids.has(one.get('vector_store_id').text)).map((one) => one.get('id'))
  return [...ofStores, ...old]
}

function sourcesOf (ids: Part[], known: Map<string, Part>, given: Map<string, ImportFile>): PlannedSource[] {
  const sources = new Map<string, PlannedSource>()
  for (const id of ids) {
    const file = given.get(id.text)
    const name = known.get(id.text)?.get('filename').text || file?.name.split('/').at(-1) || id.text
    if (!file) {
      id.dropped(`What is in ${name} was not exported. Add the file to the agent separately.`)
      continue
    }
    id.carried('sources')
    sources.set(id.text, {
      key: id.text, type: 'docs', title: name.slice(0, 500), name, file: file.bytes.toString('base64')
    })
  }
  return [...sources.values()]
}

/** The dumped contents by file id: named by it, prefixed with it, or with the file's original name. */
function contents (files: ImportFile[], known: Part[]): Map<string, ImportFile> {
  const found = new Map<string, ImportFile>()
  for (const file of files) {
    if (listed(file.value).some((one) => kindOfValue(one) !== '')) continue
    const name = file.name.split('/').at(-1)!
    const id = /^file-[A-Za-z0-9]{1,64}/.exec(name)?.[0]
    const called = known.find((part) => part.get('filename').text === name)?.get('id').text
    found.set(called ?? id ?? file.name, file)
  }
  return found
}

/** The objects of a dump: a page of a list, a list, or a single one. */
function partsOf (file: Part): Part[] {
  const data = file.get('data')
  if (Array.isArray(data.value)) {
    for (const name of HOUSEKEEPING) file.get(name).ignored('It only says how the list was read.')
    return data.list()
  }
  return Array.isArray(file.value) ? file.list() : [file]
}

const kindOf = (part: Part) => part.get('object').text
const kindOfValue = (value: unknown): string => {
  const { object } = objectOf(value)
  return typeof object === 'string' ? object : ''
}

function listed (value: unknown): unknown[] {
  const { data } = objectOf(value)
  return [data, value].find(Array.isArray) ?? [value]
}
