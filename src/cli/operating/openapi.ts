import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Command } from 'commander'
import { buildApp } from '../../app.ts'
import { readConfig } from '../../config.ts'
import { systemClock } from '../../platform/clock.ts'
import { openapiText } from '../../platform/http/openapi.ts'
import { openStores } from '../../stores.ts'
import { command, type CliIo } from '../common.ts'

/** `openapi`: the OpenAPI document, generated from the routes themselves, on a temporary database. */
export function openapiCommand (io: CliIo): Command {
  return command('openapi', 'print the OpenAPI document', 'openapi > openapi.json').action(async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'agenthall-'))
    const clock = systemClock()
    const config = readConfig({})
    const stores = await openStores({ config, directory, clock })
    const app = await buildApp({ config, stores, clock, isDescribed: true })
    await app.ready()
    io.out(openapiText(app).trimEnd())
    await app.close()
    await stores.close()
    rmSync(directory, { recursive: true })
  })
}
