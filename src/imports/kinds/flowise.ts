import type { ImportFile, Kind, PlannedAgent } from '../contract.ts'
import { agentFrom } from '../fields.ts'
import type { Ledger, Part } from '../ledger.ts'
import { documentsOf, type Document } from './flowise-documents.ts'
import { objectOf } from '../../platform/objects.ts'

/** The lists of "Export All" that contain flows, and why the others are not imported. */
const FLOWS = ['ChatFlow', 'AgentFlow', 'AgentFlowV2', 'AssistantFlow', 'AssistantCustom']
const LEFT: Record<string, string> = {
  Tool: 'The JavaScript of tools is not run here. Have a person answer what needs one.',
  Variable: 'Variables are not filled in here: write into the system prompt what they stand for.',
  ChatMessage: 'Earlier conversations are not imported.',
  ChatMessageFeedback: 'Earlier conversations are not imported.',
  Execution: 'It only says what was run.',
  CustomTemplate: 'Agents cannot be made from templates. Load it in Flowise and export the chatflow.',
  AssistantOpenAI: 'It is stored at OpenAI: export it there and import that.',
  AssistantAzure: 'It is stored at Azure: write its instructions into the system prompt of an agent.'
}
const PROMPTS = [
  'systemMessage', 'systemMessagePrompt', 'responsePrompt', 'agentInstructions', 'systemPrompt', 'instructions',
  'supervisorPrompt', 'workerPrompt', 'template'
]
const MODELS = ['modelName', 'model', 'customModel', 'azureOpenAIApiDeploymentName']
const ANSWERING = /^(?:chains|agents|multi agents|sequential agents)$/i
const KEPT_NODE = ['id', 'type', 'position', 'positionAbsolute']
const FLOWISE_FIELDS = [
  'id', 'label', 'name', 'type', 'baseClasses', 'category', 'description', 'filePath', 'icon', 'tags', 'inputParams',
  'inputAnchors', 'outputAnchors', 'outputs', 'color'
]
const KEPT_FLOW = ['id', 'type', 'createdDate', 'updatedDate', 'workspaceId', 'category']
const NO_CREDENTIAL = 'Keys are not in the file. Give this server the key of the model\'s provider.'
const NO_ORIGINS = 'Make a key for the widget and list these sites there.'
const NO_EDGES = 'Agents do not follow flow charts: say in the system prompt what to do when.'

/** A single chatflow of Flowise, or everything that "Export All" writes. Nothing in it is run. */
export const flowise: Kind = {
  name: 'flowise',
  title: 'Flowise',
  detect: (files) => files.some(({ value }) => isFlow(value) || isAll(value)),
  read (files, ledger) {
    const known = files.filter(({ value }) => isFlow(value) || isAll(value))
    return known.flatMap((file) =>
      isAll(file.value) ? allOf(ledger.open(file.name, file.value)) : [single(file, ledger)])
  }
}

const listIn = (value: unknown, name: string) => {
  const list = objectOf(value)[name]
  return Array.isArray(list) ? list as unknown[] : undefined
}
const isAll = (value: unknown) => [...FLOWS, 'DocumentStoreFileChunk'].some((name) => listIn(value, name) !== undefined)

function isFlow (value: unknown): boolean {
  const { flowData } = objectOf(value)
  return typeof flowData === 'string' || (listIn(value, 'nodes') ?? []).some((node) => {
    const { data } = objectOf(node)
    const { name, inputs } = objectOf(data)
    return typeof name === 'string' && typeof inputs === 'object'
  })
}

function single ({ name, value }: ImportFile, ledger: Ledger): PlannedAgent {
  const file = ledger.open(name, value)
  const called = (name.split('/').at(-1)!).replace(/\.json$/i, '')
  // A single chatflow is named by its file only.
  const named = file.get('name').text.trim() ? file.get('name') : ledger.open(name, { 'its name': called }).get('its name')
  return agentOf(file, named)
}

function allOf (file: Part): PlannedAgent[] {
  const flows = FLOWS.flatMap((name) => file.get(name).list())
  const agents = flows.map((flow) => agentOf(flow, flow.get('name')))
  for (const [name, why] of Object.entries(LEFT)) for (const one of file.get(name).list()) one.dropped(why)
  const documents = documentsOf(file)
  // A flow's node names the stores that it searches.
  const searched = flows.map((flow) => documents.filter(({ store }) => store && flow.get('flowData').text.includes(store)))
  for (const [i, agent] of agents.entries()) agent.sources = sourcesOf(searched[i]!)
  const rest = documents.filter((one) => !searched.some((list) => list.includes(one)))
  if (rest.length === 0) return agents
  if (agents.length === 1) agents[0]!.sources.push(...sourcesOf(rest))
  else agents.push({ ...agentFrom({ key: 'documents', name: file.get('its documents') }), sources: sourcesOf(rest) })
  return agents
}

const sourcesOf = (documents: Document[]) => documents.map(({ source }) => source)

function agentOf (flow: Part, name: Part): PlannedAgent {
  const drawn = flow.get('flowData').text ? flow.get('flowData').json() : flow
  const nodes = drawn.get('nodes').list()
  const last = lastOf(nodes, drawn.get('edges').list())
  const used = last ? usedBy(last, nodes) : []
  const model = used.find((node) => isModel(node)) ?? nodes.findLast(isModel)
  const config = flow.get('chatbotConfig').json()
  const prompt = promptOf(used)
  const inputs = model?.get('data', 'inputs') ?? modelOf(last)
  const starters = config.get('starterPrompts')
  const agent = agentFrom({
    key: flow.get('id').text || name.text,
    name,
    description: flow.get('description'),
    ...(prompt && { prompt }),
    ...(inputs && { model: firstText(inputs, MODELS), temperature: inputs.get('temperature') }),
    welcome: config.get('welcomeMessage'),
    suggestions: Object.keys(Object(starters.value) as object).map((key) => {
      const starter = starters.get(key)
      return starter.text ? starter : starter.get('prompt')
    })
  })
  if (config.get('leads', 'status').value === true) {
    agent.fields.behavior = { ...agent.fields.behavior, collectVisitorData: true }
  }
  config.get('allowedOrigins').dropped(NO_ORIGINS)
  drawn.get('edges').dropped(NO_EDGES)
  for (const one of KEPT_FLOW) flow.get(one).ignored('It only says how the flow was stored.')
  const settled = [last, model, prompt && used.find((node) => prompt.at.startsWith(`${node.at}/`))]
  for (const node of nodes) leave(node, settled.some((one) => one?.at === node.at))
  return agent
}

/** Reports the result of a node; for a used one, of everything around its settings. */
function leave (node: Part, isUsed: boolean) {
  const data = node.get('data')
  data.get('credential').dropped(NO_CREDENTIAL)
  if (isUsed) {
    for (const name of KEPT_NODE) node.get(name).ignored('It only says how the node was stored.')
    for (const name of FLOWISE_FIELDS) data.get(name).ignored('It only says how the node was stored.')
  } else if (/tools/i.test(data.get('category').text)) {
    node.dropped(`${labelOf(data)}: ${LEFT.Tool}`)
  } else {
    node.dropped(`${labelOf(data)}: an agent has no such node, and searches what it knows by itself. Its settings are listed here.`)
  }
}

const labelOf = (data: Part) => (data.get('label').text || data.get('name').text || 'A node').slice(0, 200)

const isModel = (node: Part) => /^(?:chat models|llms)$/i.test(node.get('data', 'category').text)

/** The chain or agent that answers: the last without a successor, or the last. */
function lastOf (nodes: Part[], edges: Part[]): Part | undefined {
  const leading = new Set(edges.map((edge) => edge.get('source').text))
  const answering = nodes.filter((node) => {
    const data = node.get('data')
    return ANSWERING.test(data.get('category').text) || /^(?:agent|llm)Agentflow$/.test(data.get('name').text)
  })
  return answering.findLast((node) => !leading.has(node.get('id').text)) ?? answering.at(-1)
}

/** A node and those that its settings reference, as `{{chatOpenAI_0.data.instance}}`. */
function usedBy (node: Part, nodes: Part[]): Part[] {
  const inputs = JSON.stringify(node.get('data', 'inputs').value ?? {})
  const named = new Set(Array.from(inputs.matchAll(/\{\{([\w-]{1,200})\.data\.instance\}\}/g), (match) => match[1]!))
  return [node, ...nodes.filter((one) => one.at !== node.at && named.has(one.get('id').text))]
}

/** The system message of the chain, or of its prompt template. */
function promptOf (used: Part[]): Part | undefined {
  for (const node of used) {
    const inputs = node.get('data', 'inputs')
    const messages = ['agentMessages', 'llmMessages'].flatMap((name) => inputs.get(name).list())
    const said = messages.find((one) => one.get('role').text === 'system')?.get('content') ?? firstText(inputs, PROMPTS)
    // A reference to another node is no prompt; that node is among those used.
    if (said.text.trim() && !/^\{\{[\w-]{1,200}\.data\.instance\}\}$/.test(said.text)) return said
  }
  return undefined
}

/** The model settings, if the answering node contains them. */
function modelOf (node?: Part): Part | undefined {
  const inputs = node?.get('data', 'inputs')
  return ['agentModelConfig', 'llmModelConfig'].map((name) => inputs?.get(name)).find((one) => one?.value !== undefined)
}

const firstText = (inputs: Part, names: string[]) =>
  names.map((name) => inputs.get(name)).find(({ text }) => text.trim()) ?? inputs.get(names[0]!)
