import { Value } from '@sinclair/typebox/value'
import { Appearance, Model } from '../../schema/agents.ts'
import { textOfPairs } from '../reading/pairs.ts'
import type { PlannedAgent, PlannedSource } from './contract.ts'
import type { Part } from './ledger.ts'

/** The prompt of an agent that had none. */
const PROMPT = 'You help customers with their questions. Answer briefly, and only from what you know.'
const MODEL_NEEDED =
  '"agenthall models" shows whether this server offers a model of that name; choose another if not.'

/** The values found for an agent; an empty one leaves the default. */
export interface Found {
  key: string
  name: Part
  prompt?: Part
  description?: Part
  model?: Part
  temperature?: Part
  welcome?: Part
  suggestions?: Part[]
}

/** The fields common to all kinds of exports. The agent is inactive until somebody reviews it. */
export function agentFrom (found: Found): PlannedAgent {
  const name = found.name.take('name', 200)?.trim()
  const prompt = found.prompt?.take('systemPrompt', 100_000)
  const description = found.description?.take('description', 4000)
  const welcomeMessage = found.welcome?.take('appearance.welcomeMessage', 4000)
  const suggestions = texts('behavior.suggestions', found.suggestions ?? [], 500)
  const temperature = found.temperature?.number('model.temperature', 0, 2)
  const model = modelFrom(found.model)
  const assumed = [...(name === undefined ? ['name' as const] : []), ...(prompt === undefined ? ['systemPrompt' as const] : [])]
  return {
    key: found.key,
    ...(assumed.length > 0 && { assumed }),
    fields: {
      name: name ?? 'Imported agent',
      systemPrompt: prompt ?? PROMPT,
      status: 'Inactive',
      ...(description !== undefined && { description }),
      ...(welcomeMessage !== undefined && { appearance: { welcomeMessage } }),
      ...(suggestions.length > 0 && { behavior: { suggestions } }),
      ...((temperature !== undefined || model !== undefined) && {
        model: {
          ...(model !== undefined && { response_model: model }),
          ...(temperature !== undefined && { temperature })
        }
      })
    },
    sources: []
  }
}

/** Strings of a list of at most a hundred. */
export function texts (to: string, parts: Part[], most: number): string[] {
  for (const part of parts.slice(100)) part.dropped(`${to} may hold 100. Choose which ones it should be.`)
  return parts.slice(0, 100).flatMap((part) => part.take(to, most) ?? [])
}

/** A colour of the widget; three-digit ones are expanded, only hexadecimal ones are supported. */
export function colorFrom (part: Part, to: 'primaryColor' | 'secondaryColor'): string | undefined {
  const given = part.text.trim()
  if (!given) return undefined
  const color = /^#[0-9a-f]{3}$/i.test(given) ? given.replace(/[0-9a-f]/gi, '$&$&') : given
  if (!Value.Check(Appearance.properties[to], color)) {
    part.dropped('Colours are written as #2563eb here. Choose one on the page of the agent.')
    return undefined
  }
  if (color === part.text) part.carried(`appearance.${to}`)
  else part.changed(`appearance.${to}`, `It is ${color} now.`)
  return color
}

/** The picture beside the agent's messages, by its address. */
export function avatarFrom (part: Part): { type: string, src: string } | undefined {
  if (!part.text.trim()) return undefined
  const avatar = { type: 'image', src: part.text }
  if (Value.Check(Appearance.properties.avatar, avatar)) {
    part.carried('appearance.avatar')
    return avatar
  }
  part.dropped('This is not the address of a picture. Choose one on the page of the agent.')
  return undefined
}

/** Question-and-answer parts as one source; none if no part has both. */
export function faqFrom (key: string, parts: Part[]): PlannedSource[] {
  const pairs = parts.flatMap((part) => {
    const [question, answer] = [part.get('question'), part.get('answer')]
    if (!question.text.trim() || !answer.text.trim()) return []
    const pair = { question: question.text, answer: answer.text }
    const kept = textOfPairs([pair])
    for (const one of [question, answer]) {
      if (kept.includes(one.text)) one.carried('sources')
      else one.changed('sources', 'Empty lines and spaces around it were taken out.')
    }
    return [pair]
  })
  if (pairs.length === 0) return []
  const asks = pairs.map(({ question }) => question)
  return [{ key, type: 'faq', title: 'Questions and answers', text: textOfPairs(pairs), asks }]
}

function modelFrom (part?: Part): string | undefined {
  if (!part?.text) return undefined
  if (!Value.Check(Model.properties.response_model, part.text)) {
    part.dropped('This is not the name of a model. Choose one on the page of the agent.')
    return undefined
  }
  part.carried('model.response_model', MODEL_NEEDED)
  return part.text
}
