import { actionOf } from '../actions.ts'
import type { Kind, PlannedAction, PlannedAgent, PlannedSource } from '../contract.ts'
import { agentFrom, faqFrom, texts } from '../fields.ts'
import type { Part } from '../ledger.ts'
import { objectOf } from '../../platform/objects.ts'

/** An assistant of Chatwoot's Captain with its documents and answers, as its API returns them. */
export const captain: Kind = {
  name: 'captain',
  title: 'Chatwoot Captain',
  detect: (files) => files.some(({ value }) => isAssistant(value)),
  read: (files, ledger) =>
    files.filter(({ value }) => isAssistant(value)).map(({ name, value }) => agentOf(ledger.open(name, value)))
}

function isAssistant (value: unknown): boolean {
  const { assistant } = objectOf(value)
  return typeof assistant === 'object' && assistant !== null && 'config' in assistant
}

function agentOf (file: Part): PlannedAgent {
  const assistant = file.get('assistant')
  const config = assistant.get('config')
  const agent = agentFrom({
    key: assistant.get('id').label,
    name: assistant.get('name'),
    prompt: config.get('instructions'),
    description: assistant.get('description'),
    temperature: config.get('temperature'),
    welcome: config.get('welcome_message')
  })
  const dos = texts('behavior.guidelines.dos', assistant.get('response_guidelines').list(), 2000)
  const donts = texts('behavior.guidelines.donts', assistant.get('guardrails').list(), 2000)
  const escalationPrompt = config.get('handoff_message').take('behavior.escalationPrompt', 10_000)
  agent.fields.behavior = { guidelines: { dos, donts }, ...(escalationPrompt !== undefined && { escalationPrompt }) }
  config.get('product_name').dropped('Say in the system prompt what the product is called.')
  config.get('resolution_message').dropped('Nothing is said when a conversation is closed.')
  agent.actions = file.get('custom_tools').list().flatMap(toolOf)
  for (const scenario of file.get('scenarios').list()) scenario.dropped('Make a separate agent of it.')
  agent.sources = [...file.get('documents').list().flatMap(document), ...answers(file.get('responses').list())]
  return agent
}

/** A tool that only fills an address or a body with values. Its key is not in the file. */
function toolOf (part: Part): PlannedAction[] {
  const action = actionOf({
    key: part.get('slug').label || part.get('title').text,
    name: part.get('slug').text.replace(/^custom_/, '') || part.get('title').text,
    title: part.get('title').text,
    when: part.get('description').text,
    method: part.get('http_method').text || 'GET',
    url: part.get('endpoint_url').text,
    body: part.get('request_template').text,
    parameters: part.get('param_schema').list().map((one) => ({
      name: one.get('name').text,
      type: one.get('type').text,
      description: one.get('description').text,
      isRequired: one.get('required').value === true
    }))
  })
  if (action) part.changed('actions', IS_OFF)
  else part.dropped('It does more than an imported action can. Make one in Actions, by hand.')
  return action ? [action] : []
}

const IS_OFF = 'It is an action, switched off. Enter the secret of its connection, pick what of an answer is used, try it, and switch it on.'

function document (part: Part): PlannedSource[] {
  const [content, link] = [part.get('content'), part.get('external_link')]
  const hasText = content.text.trim() !== ''
  if (!hasText && !/^https?:\/\/[^\s]{1,2000}$/.test(link.text)) {
    part.dropped('It holds no text and no address of a page. Add the document to the agent separately.')
    return []
  }
  const title = part.get('name').take('sources', 500) ?? (link.text.slice(0, 500) || 'Document')
  const key = `document ${part.get('id').label}`
  for (const name of ['status', 'source_type']) part.get(name).ignored('It only says how the document was stored.')
  if (!hasText) {
    link.carried('sources')
    return [{ key, type: 'website', title, url: link.text }]
  }
  content.carried('sources')
  link.ignored('Where the text was read; it came with the file.')
  return [{ key, type: 'text', title, text: content.text }]
}

function answers (parts: Part[]): PlannedSource[] {
  const approved = parts.filter((part) => {
    if (part.get('status').text !== 'approved') {
      part.dropped('Nobody had approved this answer. Add it to the agent if it is right.')
      return false
    }
    for (const name of ['status', 'documentable_type']) part.get(name).ignored('It only says how the answer was stored.')
    return true
  })
  return faqFrom('responses', approved)
}
