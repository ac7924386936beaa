import type { Kind, PlannedAgent, PlannedSource } from '../contract.ts'
import { agentFrom, avatarFrom, colorFrom } from '../fields.ts'
import type { Part } from '../ledger.ts'
import { objectOf } from '../../platform/objects.ts'

const TYPEBOT_FIELDS = [
  'id', 'createdAt', 'updatedAt', 'publicId', 'workspaceId', 'folderId', 'resultsTablePreferences', 'spaceId', 'icon',
  'selectedThemeTemplateId', 'riskLevel'
]
const ASKED = ['email input', 'phone number input', 'email', 'phone']
const NO_STEPS = 'Agents do not follow flow charts: say in the system prompt what to do when.'
const NO_INPUT = 'Agents ask in their own words: say in the system prompt what to ask for.'
const NO_BLOCK = 'An agent has no such step. Its settings are listed here; have a person do what needs it.'
const NO_VARIABLES = 'Variables are not filled in here: write into the texts what they stand for.'

/** A bot of Typebot, versions 3 to 6: its texts become a source, its choices suggestions. */
export const typebot: Kind = {
  name: 'typebot',
  title: 'Typebot',
  detect: (files) => files.some(({ value }) => isBot(value)),
  read: (files, ledger) =>
    files.filter(({ value }) => isBot(value)).map(({ name, value }) => agentOf(ledger.open(name, value)))
}

function isBot (value: unknown): boolean {
  const { typebot } = objectOf(value)
  const { groups, edges, theme, variables } = objectOf(typebot ?? value)
  if (!Array.isArray(groups)) return false
  return [edges, theme, variables].some((one) => one !== undefined) ||
    groups.some((group) => Array.isArray(objectOf(group).blocks))
}

function agentOf (file: Part): PlannedAgent {
  const bot = file.get('typebot').value === undefined ? file : file.get('typebot')
  const version = bot.get('version')
  if (/^[3-6](?:\.\d{1,3})?$/.test(version.label)) version.ignored('The version of the file.')
  else version.dropped('This version of the file is not known here. What was understood was imported: check it.')
  const groups = bot.get('groups').list()
  const blocks = groups.flatMap((group) => group.get('blocks').list())
  const model = modelOf(blocks)
  const prompt = model?.get('options', 'messages').list().find((one) => one.get('role').text === 'system')?.get('content')
  const agent = agentFrom({
    key: bot.get('id').text || bot.get('name').text,
    name: bot.get('name'),
    description: bot.get('settings', 'metadata', 'description'),
    ...(prompt && { prompt }),
    ...(model && {
      model: model.get('options', 'model'),
      temperature: numberOf(model.get('options', 'temperature'), model.get('options', 'advancedSettings', 'temperature'))
    }),
    suggestions: blocks.filter((block) => typeOf(block).includes('choice input')).flatMap(choices)
  })
  agent.sources = saidIn(groups)
  agent.fields.appearance = looksOf(bot.get('theme'))
  for (const block of blocks) {
    if (ASKED.includes(typeOf(block))) agent.fields.behavior = { ...agent.fields.behavior, collectVisitorData: true }
    leave(block, block.at === model?.at)
  }
  for (const group of groups) group.get('id').ignored('It only says how the bot was stored.')
  for (const name of TYPEBOT_FIELDS) bot.get(name).ignored('It only says how the bot was stored.')
  bot.get('variables').dropped(NO_VARIABLES)
  for (const name of ['edges', 'events']) bot.get(name).dropped(NO_STEPS)
  bot.get('customDomain').dropped('Set the address of this server instead (AGENTHALL_BASE_URL).')
  return agent
}

const typeOf = (block: Part) => block.get('type').text.toLowerCase()
const numberOf = (one: Part, other: Part) => one.value === undefined ? other : one

/** The step that calls a model: the last with a system message, or the last one. */
function modelOf (blocks: Part[]): Part | undefined {
  const asking = blocks.filter((block) => block.get('options', 'messages').list().length > 0)
  const isTold = (block: Part) =>
    block.get('options', 'messages').list().some((one) => one.get('role').text === 'system' && one.get('content').text.trim())
  return asking.findLast(isTold) ?? asking.at(-1)
}

/** The choices offered. */
function choices (block: Part): Part[] {
  return block.get('items').list().map((item) => item.get('content').text ? item.get('content') : item.get('title'))
}

/** Reports the result of a step; for a used one, of everything around its texts. */
function leave (block: Part, isModel: boolean) {
  const type = typeOf(block)
  const isText = type === 'text' || type.includes('choice input')
  if (isText || isModel) {
    for (const name of ['id', 'type', 'groupId', 'outgoingEdgeId']) block.get(name).ignored('It only says how the step was stored.')
    for (const name of ['id', 'blockId', 'outgoingEdgeId']) {
      for (const item of block.get('items').list()) item.get(name).ignored('It only says how the choice was stored.')
    }
    block.get('options', 'credentialsId').dropped('Keys are not in the file. Give this server the key of the provider.')
  } else if (ASKED.includes(type)) {
    block.changed('behavior.collectVisitorData', 'Visitors are asked for their name and address before they write.')
  } else {
    block.dropped(type.endsWith('input') ? NO_INPUT : NO_BLOCK)
  }
}

/** The bot's texts, group by group, as one text. */
function saidIn (groups: Part[]): PlannedSource[] {
  const said = groups.flatMap((group) => {
    const texts = group.get('blocks').list().filter((block) => typeOf(block) === 'text').map(saidBy).filter((one) => one.trim())
    if (texts.length === 0) return []
    const title = group.get('title')
    if (title.text.trim()) title.carried('sources')
    return [[...(title.text.trim() ? [title.text] : []), ...texts].join('\n')]
  })
  return said.length === 0 ? [] : [{ key: 'texts', type: 'text', title: 'What the bot said', text: said.join('\n\n') }]
}

/** The text of a bubble: its lines, or the plain-text copy beside them. */
function saidBy (block: Part): string {
  const content = block.get('content')
  const lines = content.get('richText').list().map(lineOf)
  const text = lines.join('\n')
  const [plain, html] = [content.get('plainText'), content.get('html')]
  if (text.trim()) {
    for (const one of [plain, html]) one.ignored('It repeats the text.')
    return text
  }
  if (plain.text.trim()) {
    plain.carried('sources')
    html.ignored('It repeats the text.')
    return plain.text
  }
  if (!html.text.trim()) return ''
  html.changed('sources', 'It was HTML.')
  return html.text.replace(/<[^<>]*>/g, ' ')
}

/** A line of rich text with its nested parts; an address follows the text it was linked from. */
function lineOf (part: Part): string {
  part.get('type').ignored('It only says how the text was formatted.')
  const [text, url] = [part.get('text'), part.get('url')]
  if (text.text.trim()) text.carried('sources')
  const children = part.get('children').list().map(lineOf)
  const isList = /^(?:ul|ol|li|block)/i.test(part.get('type').text)
  const inside = text.text + children.join(isList ? '\n' : '')
  if (!url.text.trim() || inside.includes(url.text)) {
    if (url.text.trim()) url.carried('sources')
    return inside
  }
  url.carried('sources')
  return `${inside} (${url.text})`
}

function looksOf (theme: Part): NonNullable<PlannedAgent['fields']['appearance']> {
  const chat = theme.get('chat')
  const primaryColor = colorFrom(chat.get('buttons', 'backgroundColor'), 'primaryColor')
  const secondaryColor = colorFrom(chat.get('buttons', 'color'), 'secondaryColor')
  const avatar = chat.get('hostAvatar', 'isEnabled').value === false ? undefined : avatarFrom(chat.get('hostAvatar', 'url'))
  const font = theme.get('general', 'font')
  const fontFamily = (font.text ? font : font.get('family')).take('appearance.fontFamily', 200)
  return {
    ...(primaryColor !== undefined && { primaryColor }),
    ...(secondaryColor !== undefined && { secondaryColor }),
    ...(fontFamily !== undefined && { fontFamily }),
    ...(avatar && { avatar })
  }
}
