import './bare-children.ts'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'

const ROOT = path.resolve(import.meta.dirname, '..')
const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}

t.test('npm ci runs no install script, so that it needs neither Python nor a compiler', async (t) => {
  const setting = execFileSync('npm', ['config', 'get', 'ignore-scripts'], {
    cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']
  })
  t.equal(setting.trim(), 'true')
})

t.test('no script counts on another that npm would run before or after it, which it then does not', async (t) => {
  t.strictSame(Object.keys(scripts).filter((name) => /^(pre|post)/.test(name)), [])
  for (const name of ['start', 'agenthall', 'dev', 'test']) {
    t.match(scripts[name], 'src/check-node.cjs', `"npm run ${name}" says when the Node is too old`)
  }
})

t.test('what browsers load is made before the tests, and before the server starts from source', async (t) => {
  // npm would not run "prestart" and "pretest" (above).
  t.match(scripts.test, /node scripts\/web\.ts && /)
  // Was wrong: tap built its class while it ran, so that a fresh clone compiled every file, and no other did.
  t.match(scripts.test, / && tap build && tap$/)
  for (const name of ['start', 'agenthall', 'dev']) {
    t.match(scripts[name], / --import \.\/scripts\/web\.ts src\/main\.ts/, name)
  }
  const [node = '', ...flags] = scripts.agenthall!.split(' ')
  const help = execFileSync(node, [...flags, 'help'], { cwd: ROOT, encoding: 'utf8' })
  t.match(help, 'serve', 'commands that serve nothing work too')
})
