import { actionOf } from '../actions.ts'
import type { Kind, PlannedAction, PlannedAgent } from '../contract.ts'
import { agentFrom, texts } from '../fields.ts'
import type { Part } from '../ledger.ts'
import { objectOf } from '../../platform/objects.ts'

const CHATS = ['chat', 'agent-chat', 'advanced-chat']

/** An app of Dify in its own DSL: chats and agents; of a chat flow, the model that answers last. */
export const dify: Kind = {
  name: 'dify',
  title: 'Dify',
  detect: (files) => files.some(({ value }) => isApp(value)),
  read: (files, ledger) =>
    files.filter(({ value }) => isApp(value)).flatMap(({ name, value }) => agentOf(ledger.open(name, value)))
}

const isApp = (value: unknown) => {
  const { kind, app } = objectOf(value)
  return kind === 'app' && typeof app === 'object' && app !== null
}

function agentOf (file: Part): PlannedAgent[] {
  const app = file.get('app')
  const mode = app.get('mode')
  file.get('kind').ignored('It says what kind of file this is.')
  const version = file.get('version')
  if (/^0\.[0-9]/.test(version.label)) version.ignored('The version of the file.')
  else version.dropped('This version of the file is not known here. What was understood was imported: check it.')
  if (!CHATS.includes(mode.text)) {
    mode.dropped('An app of this mode talks to nobody: no agent can be made from it. Export a chat, an agent or a chat flow.')
    return []
  }
  mode.ignored('Agents are all of one kind.')
  return [mode.text === 'advanced-chat' ? flow(app, file.get('workflow')) : chat(app, file.get('model_config'))]
}

function chat (app: Part, config: Part): PlannedAgent {
  const agent = agentFrom({
    key: app.get('name').text,
    name: app.get('name'),
    description: app.get('description'),
    prompt: config.get('pre_prompt'),
    model: config.get('model', 'name'),
    temperature: config.get('model', 'completion_params', 'temperature'),
    welcome: config.get('opening_statement'),
    suggestions: config.get('suggested_questions').list()
  })
  config.get('dataset_configs').dropped('What is in a knowledge base is not in the file. Export its documents and add them to the agent.')
  config.get('agent_mode').dropped('Agents call no tools here. Have a person answer what needs one.')
  blocked(agent, config.get('sensitive_word_avoidance'))
  return agent
}

/** Blocked words become things that the agent must not do. */
function blocked (agent: PlannedAgent, part: Part) {
  const words = part.get('config', 'keywords')
  if (part.get('enabled').value !== true || !words.text.trim()) return
  const donts = texts('behavior.guidelines.donts', [words], 1900).map((text) => `Do not talk about: ${text}`)
  agent.fields.behavior = { ...agent.fields.behavior, guidelines: { donts } }
}

function flow (app: Part, workflow: Part): PlannedAgent {
  const nodes = workflow.get('graph', 'nodes').list()
  const model = nodes.filter((node) => node.get('data', 'type').text === 'llm').at(-1)?.get('data')
  const features = workflow.get('features')
  const prompt = model?.get('prompt_template').list().find((one) => one.get('role').text === 'system')?.get('text')
  const agent = agentFrom({
    key: app.get('name').text,
    name: app.get('name'),
    description: app.get('description'),
    ...(prompt && { prompt }),
    ...(model && {
      model: model.get('model', 'name'), temperature: model.get('model', 'completion_params', 'temperature')
    }),
    welcome: features.get('opening_statement'),
    suggestions: features.get('suggested_questions').list()
  })
  for (const node of nodes) {
    if (node.get('data').at === model?.at) continue
    const action = requestOf(node)
    if (action) agent.actions = [...agent.actions ?? [], action]
    else node.dropped('Agents do not follow flow charts: say in the system prompt what to do when.')
  }
  blocked(agent, features.get('sensitive_word_avoidance'))
  return agent
}

/** An HTTP step as an action; undefined for others. */
function requestOf (node: Part): PlannedAction | undefined {
  const data = node.get('data')
  if (data.get('type').text !== 'http-request') return undefined
  const lines = data.get('params').text.split('\n').map((line) => line.trim()).filter(Boolean)
  const query = lines.map((line) => line.replace(/^([^:]{1,64}):/, '$1=')).join('&')
  const address = data.get('url').text
  const body = data.get('body')
  const isPlain = ['', 'none', 'json'].includes(body.get('type').text) && !data.get('headers').text.trim()
  const action = isPlain
    ? actionOf({
      key: node.get('id').label,
      name: data.get('title').text,
      title: data.get('title').text,
      when: data.get('desc').text,
      method: data.get('method').text,
      url: query ? `${address}${address.includes('?') ? '&' : '?'}${query}` : address,
      body: body.get('data').text || body.get('data').list()[0]?.get('value').text || '',
      parameters: []
    })
    : undefined
  if (action) node.changed('actions', 'It is an action, switched off. Say when to use it and enter the secret of its connection, try it, and switch it on.')
  return action
}
