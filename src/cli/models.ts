import type { Command } from 'commander'
import type { Config } from '../config.ts'
import { offersFrom, openModels, type Models, type Provider } from '../models/index.ts'
import { VERSION } from '../version.ts'
import type { Stores } from '../stores.ts'
import { command, configOf, print, table, withStores, type CommonOptions, type Surroundings } from './common.ts'

/** A provider of models: for which names, from where, and whether it answers. */
export interface Listed { models: string[], from: string, url: string, answers: boolean, finding: string }

/** How long each provider has to answer. */
const CHECK_MS = 20_000

/** `models`: which language models there are, from where, and whether they answer. */
export function modelsCommand (around: Surroundings): Command {
  return command(
    'models', 'which language models there are, from where, and whether they answer', 'models', 'models --json'
  ).action(async (options: CommonOptions) => {
    const found = await withStores(around, options, async (stores) => await listed(configOf(around, options), stores))
    print(around, options, found, () =>
      table(
        found.map(({ models, from, url, answers, finding }) => ({
          models: models.join(', '), from, url, answers: answers ? 'yes' : `no: ${finding}`
        })),
        'There are no language models: agents quote their sources. Set AGENTHALL_OPENAI_KEY, or AGENTHALL_MODEL_URL for a server of your own.'
      )
    )
  })
}

/** The installation's models, and those that accounts bring themselves. */
async function listed (config: Config, { access, models, modelProviders }: Stores): Promise<Listed[]> {
  const own = (await access.users()).flatMap(({ id }) =>
    modelProviders.offers(id).map(({ models: names, provider }) => ({
      models: [...names], from: `account ${id}, provider ${provider.id.replace('account-', '')}`, provider
    }))
  )
  return await checked(models, [...installation(config), ...own])
}

/** The installation's providers, each asked once, without opening any data. */
export async function installationChecked (config: Config): Promise<Listed[]> {
  const models = openModels({
    offers: () =>
      installation(config).map(({ provider }) => ({
        match: '*', provider, isPremium: false, price: null, context: null, fallback: null
      })),
    providers: { offers: () => [] },
    now: () => performance.now(),
    userAgent: `Agenthall/${VERSION}`
  })
  try {
    return await checked(models, installation(config))
  } finally {
    await models.close()
  }
}

/** The settings that the models of an installation come from. */
const SETTINGS: Record<string, string> = {
  openai: 'AGENTHALL_OPENAI_KEY', anthropic: 'AGENTHALL_ANTHROPIC_KEY', url: 'AGENTHALL_MODEL_URL'
}

function installation ({
  OPENAI_KEY: openaiKey, ANTHROPIC_KEY: anthropicKey, MODEL_URL: url, MODEL_KEY: urlKey, MODELS: file
}: Config) {
  const found = new Map<string, { models: string[], from: string, provider: Provider }>()
  for (const { match, provider } of offersFrom({ openaiKey, anthropicKey, url, urlKey, file })) {
    // Those of the list may have the same host and not the same key.
    const key = JSON.stringify([provider.id, provider.url, provider.key()])
    const known = found.get(key)
    if (known) known.models.push(match)
    else found.set(key, { models: [match], from: SETTINGS[provider.id] ?? 'AGENTHALL_MODELS', provider })
  }
  return [...found.values()]
}

async function checked (
  models: Models, all: Array<{ models: string[], from: string, provider: Provider }>
): Promise<Listed[]> {
  return await Promise.all(
    all.map(async ({ models: names, from, provider }) => {
      const found = await models
        .check(provider, AbortSignal.timeout(CHECK_MS))
        .catch(() => ({ ok: false as const, message: 'It took too long to answer.' }))
      return {
        models: names, from, url: provider.url, answers: found.ok, finding: found.ok ? 'answers' : found.message
      }
    })
  )
}
