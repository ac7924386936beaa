import type { Command } from 'commander'
import type { Config } from '../config.ts'
import { runUntilTold, startServer, type Running } from '../server.ts'
import { command, configOf, type CommonOptions, type CliIo } from './common.ts'
import { accountFault } from './doctor.ts'

/** `serve`: the server. Resolves once it listens; it then runs until it is stopped. */
export function serveCommand (io: CliIo, running: (server: Running) => void): Command {
  return command('serve', 'run the server', 'serve', 'serve --port 80 --host 0.0.0.0 --data /var/lib/agenthall')
    .option('--port <number>', 'port to listen on (default: AGENTHALL_PORT or 8080)')
    .option('--host <address>', 'address to listen on (default: AGENTHALL_HOST or 127.0.0.1)')
    .action(async (options: CommonOptions & { port?: string, host?: string }) => {
      const config = configOf(io, options, { PORT: options.port, HOST: options.host })
      const { host } = io
      // Stopped while starting, it shuts down in order too: otherwise the next start checks the whole file.
      const server = await startServer(config, { beforeListening: host && ((server) => runUntilTold(server, host)) })
      running(server)
      for (const warning of warnings(config, server.address)) io.note(warning)
      io.note(
        `Agenthall listens on ${server.address} (console: ${server.address}/console/, API docs: ${server.address}/docs).`
      )
      const { address, firstKey, firstLink } = server
      if (firstKey && firstLink) io.note(welcome(address, firstKey, firstLink) + (hasModels(config) ? '' : ADD_A_MODEL))
      else if (firstLink) io.note(anotherLink(firstLink))
    })
}

/** What an operator should know before the first client comes. */
function warnings ({ HOST, BASE_URL, GOOGLE_SERVICE_ACCOUNT: account }: Config, address: string): string[] {
  const fault = account ? accountFault(account) : undefined
  return [
    ...(['0.0.0.0', '::'].includes(HOST) && !BASE_URL
      ? [
          `AGENTHALL_BASE_URL is missing: the server listens on all addresses and cannot know which one clients use. Until it is set, links to files begin with ${address}.`
        ]
      : []),
    ...(fault ? [fault] : [])
  ]
}

function hasModels ({ OPENAI_KEY, ANTHROPIC_KEY, MODEL_URL, MODELS }: Config): boolean {
  return [OPENAI_KEY, ANTHROPIC_KEY, MODEL_URL, MODELS].some((setting) => setting !== '')
}

const ADD_A_MODEL = `
Agents answer with sentences from their sources. For answers written by a language model, start with AGENTHALL_OPENAI_KEY=…, or with AGENTHALL_MODEL_URL for a server of your own.
`

function welcome (address: string, key: string, link: string): string {
  const header = `-H 'Authorization: Api-Key ${key}'`
  const json = "-H 'Content-Type: application/json'"
  return `
This is a new installation. Open this in a browser to choose a password; it works once, for 30 minutes:

  ${link}

Another one at any time: agenthall users link 1. The first user's API key, for programs, shown only this once:

  ${key}

Create an agent, list your agents, update one:

  curl -X POST ${address}/v1/agents/ ${header} ${json} -d '{"name":"Support Agent","description":"Answers questions about orders","systemPrompt":"You are a helpful support agent."}'
  curl ${address}/v1/agents/ ${header}
  curl -X PUT ${address}/api/v1/agents/1 ${header} ${json} -d '{"model":{"temperature":0.2}}'
`
}

function anotherLink (link: string): string {
  return `
Nobody has chosen a password yet. Open this in a browser to do so; it works once, for 30 minutes, and earlier links no longer do:

  ${link}
`
}
