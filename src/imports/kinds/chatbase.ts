import type { Kind, PlannedAgent } from '../contract.ts'
import { agentFrom, colorFrom, faqFrom } from '../fields.ts'
import type { Part } from '../ledger.ts'
import { objectOf } from '../../platform/objects.ts'

/** A file has at least two of these; no other format has such names. */
const OWN = [
  'chatbotId', 'chatbotName', 'initialMessages', 'suggestedMessages', 'ipLimit', 'ipLimitMessage', 'ipLimitTimeframe',
  'onlyAllowOnAddedDomains', 'collectCustomerInformation', 'alignChatButton', 'autoOpenChatWindowAfter', 'temp',
  'instructions', 'styles', 'displayName', 'buttonColor', 'creditsLimit', 'domains'
]
const LISTS = ['chatbots', 'agents', 'data']
const INSIDE = ['styles', 'settings', 'chatbot', 'agent', 'data', 'config', 'chatInterface']
const PAIRS = ['qna', 'qnas', 'qAndA', 'qa', 'faq', 'faqs', 'qnaData', 'sources', 'questions']
const NOT_HERE: Record<string, string> = {
  ipLimit: 'How often one address may write is limited for the whole server.',
  ipLimitTimeframe: 'How often one address may write is limited for the whole server.',
  ipLimitMessage: 'How often one address may write is limited for the whole server.',
  creditsLimit: 'There are no credits here.',
  credits: 'There are no credits here.',
  integrations: 'Integrations have to be set up again: see the pages of the business in the console.',
  domains: 'Make a key for the widget and list these sites there.'
}

/** The settings of an agent of Chatbase, as its API returns and accepts them. */
export const chatbase: Kind = {
  name: 'chatbase',
  title: 'Chatbase',
  detect: (files) => files.some(({ value }) => botsIn(value).some(isBot)),
  read: (files, ledger) => files.filter(({ value }) => botsIn(value).some(isBot)).flatMap(({ name, value }) => {
    const file = ledger.open(name, value)
    const list = listOf(value)
    const parts = list === undefined ? [file] : (list ? file.get(list) : file).list()
    return parts.filter((part) => isBot(part.value)).map(agentOf)
  })
}

/** The path of the list of agents in a file: '' for the file itself, undefined for a single agent. */
function listOf (value: unknown): string | undefined {
  if (Array.isArray(value)) return ''
  return LISTS.find((name) => Array.isArray(objectOf(value)[name]))
}

function botsIn (value: unknown): unknown[] {
  const list = listOf(value)
  if (list === undefined) return [value]
  return (list ? (value as Record<string, unknown>)[list] : value) as unknown[]
}

function isBot (value: unknown): boolean {
  const held = new Set([value, ...INSIDE.map((name) => objectOf(value)[name])]
    .flatMap((one) => typeof one === 'object' && one !== null ? Object.keys(one) : []).map(camel))
  return OWN.filter((name) => held.has(name)).length >= 2
}

const camel = (name: string) => name.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase())

/** A setting in any place, under either spelling. */
function settingOf (bot: Part, ...names: string[]): Part {
  const places = [bot, ...INSIDE.map((name) => bot.get(name))]
  for (const name of names) {
    for (const place of places) {
      const key = Object.keys(objectOf(place.value)).find((one) => camel(one) === name)
      if (key !== undefined) return place.get(key)
    }
  }
  return bot.get(names[0]!)
}

function agentOf (bot: Part): PlannedAgent {
  const id = settingOf(bot, 'chatbotId', 'id', 'key')
  const [said = settingOf(bot, 'welcomeMessage'), ...more] = listed(settingOf(bot, 'initialMessages'))
  const agent = agentFrom({
    key: id.text,
    name: settingOf(bot, 'name', 'chatbotName', 'displayName'),
    prompt: settingOf(bot, 'instructions', 'basePrompt', 'systemPrompt'),
    model: settingOf(bot, 'model'),
    temperature: settingOf(bot, 'temp', 'temperature'),
    welcome: said,
    suggestions: listed(settingOf(bot, 'suggestedMessages'))
  })
  const rest = more.map((one) => one.take('appearance.welcomeMessage', 1000) ?? '').filter(Boolean)
  const welcome = agent.fields.appearance?.welcomeMessage
  if (welcome && rest.length > 0) {
    const whole = [welcome, ...rest].join('\n')
    if (whole.length <= 4000) agent.fields.appearance!.welcomeMessage = whole
    else for (const one of more) one.dropped('A welcome message may have 4,000 characters.')
  } else {
    for (const one of more) one.dropped('The first message is empty. Write a new welcome message.')
  }
  looks(bot, agent)
  for (const [name, why] of Object.entries(NOT_HERE)) settingOf(bot, name).dropped(why)
  id.ignored('It only says how the agent was stored.')
  agent.sources = PAIRS.map((name) => settingOf(bot, name)).flatMap((list) => faqFrom(list.at, list.list()))
  return agent
}

/** Messages as a list, or as one text. */
const listed = (part: Part) => part.text ? [part] : part.list().map((one) => one.text ? one : one.get('message'))

function looks (bot: Part, agent: PlannedAgent) {
  const chatbotName = settingOf(bot, 'displayName').take('appearance.chatbotName', 200)
  const primaryColor = colorFrom(settingOf(bot, 'buttonColor'), 'primaryColor')
  const side = settingOf(bot, 'alignChatButton')
  const isSide = side.text === 'left' || side.text === 'right'
  if (isSide) side.changed('appearance.position', 'It is at the bottom.')
  agent.fields.appearance = {
    ...agent.fields.appearance,
    ...(chatbotName !== undefined && { chatbotName }),
    ...(primaryColor !== undefined && { primaryColor }),
    ...(isSide && { position: side.text === 'left' ? 'bottom-left' : 'bottom-right' })
  }
  const after = settingOf(bot, 'autoOpenChatWindowAfter').number('behavior.autoShowAfter', 0, 86_400)
  const asked = settingOf(bot, 'collectCustomerInformation')
  const isAsked = /"active":\s?true/.test(JSON.stringify(asked.value ?? null)) || asked.value === true
  if (asked.value !== undefined) asked.changed('behavior.collectVisitorData', 'Name and address are asked for, in our own words.')
  agent.fields.behavior = {
    ...agent.fields.behavior,
    ...(after !== undefined && { autoShowAfter: Math.round(after) }),
    ...(isAsked && { collectVisitorData: true })
  }
}
