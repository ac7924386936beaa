import t from 'tap'
import { demandStrong, openPasswords } from '../../src/access/sign-in/password.ts'

t.test('a password is hashed by argon2id with a salt of its own, and recognised however it is typed', async (t) => {
  const { hash, matches } = openPasswords()
  const [first, second] = [await hash('Ångström 12345'), await hash('Ångström 12345')]
  t.not(first, second)
  t.ok(await matches('A\u030angstro\u0308m 12345', first))
  t.notOk(await matches('Angstrom 12345', first))
})

t.test('a name that nobody has costs as much as one that somebody has', async (t) => {
  const costs: unknown[] = []
  const { hash, matches } = openPasswords(async (_algorithm, { memory, passes, parallelism, tagLength }) => {
    costs.push({ memory, passes, parallelism, tagLength })
    return Buffer.alloc(tagLength)
  })
  t.notOk(await matches('anything', undefined), 'though the tag is the same')
  await matches('anything', await hash('anything'))
  t.strictSame(costs, Array.from({ length: 3 }, () => ({ memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 })))
})

t.test('at most two hashes are made at once, fifty wait, more are told to come again; a failure gives its place back', async (t) => {
  let running = 0
  let most = 0
  let isBroken = false
  const { hash } = openPasswords(async () => {
    most = Math.max(most, ++running)
    await new Promise(setImmediate)
    running--
    if (isBroken) throw new Error('no memory')
    return Buffer.alloc(32)
  })
  const settled = await Promise.allSettled(Array.from({ length: 55 }, () => hash('x')))
  t.strictSame([most, settled.filter(({ status }) => status === 'rejected').length], [2, 3])
  t.match(settled.at(-1), { reason: { code: 'unavailable', headers: { 'retry-after': '5' } } })
  isBroken = true
  for (let i = 0; i < 3; i++) await t.rejects(hash('x'), /no memory/)
  isBroken = false
  t.match(await hash('x'), /^\$argon2id/)
})

t.test('what is guessed first is no password', async (t) => {
  const ada = { name: 'Ada Lovelace', email: 'countess@example.com' }
  for (const weak of [
    'aaaaaaaaaaaaaaaa', 'abababababababab', 'ADA LOVELACE!', 'countess@example.com', 'countesscountess12'
  ]) { t.throws(() => demandStrong(weak, ada), { code: 'VALIDATION_ERROR' }, weak) }
  for (const strong of ['correct horse battery staple', 'ada lovelace likes engines']) {
    t.doesNotThrow(() => demandStrong(strong, ada))
  }
  t.doesNotThrow(() => demandStrong('xy is short but not this', { name: 'Xy', email: null }))
})

// Was wrong: password1234 was taken.
t.test('words that are tried first, rows of keys and names are no password, whatever digits are put to them', async (t) => {
  const ada = { name: 'Ada Lovelace', email: 'countess@lamps.example' }
  for (const weak of [
    'password1234', 'Password1234!', 'P4ssw0rd123456', '1234passwort', 'Contraseña2026', 'mot de passe 2026', 'Agenthall#2026',
    'agenthall-agenthall', 'Lovelace1815!', 'adalovelace18151852', 'lamps2026lamps', 'qwertyuiop', 'Qwertz123456',
    'asdfghjkl1', '1234567890', '0987654321', 'abcdefghijkl', 'admin-admin-123', 'letmein12345', 'willkommen2026'
  ]) { t.throws(() => demandStrong(weak, ada), { code: 'VALIDATION_ERROR' }, weak) }
  for (const strong of [
    'correct horse battery staple', 'my password is a secret lamp', 'Tr0ub4dor&3xyz', '8471930265', 'masterful lanterns',
    'agenthall pays the ferryman', 'пароль для лампы', '青い魚が木に登る夜', 'x7Kq-92mP-wLd4'
  ]) t.doesNotThrow(() => demandStrong(strong, ada), strong)
})
