import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { tmpdir, userInfo } from 'node:os'
import t, { type Test } from 'tap'
import { run } from '../../src/cli/index.ts'
import { readConfig } from '../../src/config.ts'
import { openMailbox } from '../../src/platform/net/imap.ts'
import { openSmtp } from '../../src/platform/net/smtp.ts'
import { QUESTION } from '../conversations/helper.ts'
import { ADA, desk, letter, mailServer, SUPPORT } from './helper.ts'

/** A desk where Ada has an address for replies. */
async function answered (t: Test, autoTicketReply: boolean) {
  const built = await desk(t, { behavior: { autoTicketReply } })
  const { ticket, got, me, settled } = built
  const made = await ticket()
  await me.post(`/v1/tickets/${made}/messages`, { text: 'Hello Ada' })
  await settled()
  return { ...built, made, to: got[1]!.header('reply-to')! }
}

t.test("a visitor's mail is answered by the agent once, marked as what it is, and the ticket stays open", async (t) => {
  const { post, to, got, read, made } = await answered(t, true)
  t.equal(await post(letter({ from: ADA, to, text: QUESTION })), 'taken')
  const { status, messages } = await read(made)
  t.match(
    [status, messages.at(-1)],
    ['open', { role: 'agent', text: /^You are talking to an AI assistant\.[^]*within 30 days/ }]
  )
  t.notMatch(messages.at(-1).text, /\[1\]/)
  const mail = got.at(-1)!
  t.match([mail.to, mail.header('auto-submitted'), mail.mail.text], [[ADA], 'auto-generated', /Agent \(AI\):/])
  t.strictSame(got.at(-2)!.to, [SUPPORT], 'the business got the question too')
  await post(letter({ from: ADA, to, text: QUESTION }))
  t.equal((await read(made)).messages.filter(({ role }: { role: string }) => role === 'agent').length, 1, 'once')
})

t.test('nothing is answered that the sources do not cover, nor where it is switched off, nor twice a day to one address', async (t) => {
  const off = await answered(t, false)
  await off.post(letter({ from: ADA, to: off.to, text: QUESTION }))
  t.notOk((await off.read(off.made)).messages.some(({ role }: { role: string }) => role === 'agent'))
  const { post, to, read, made, stores } = await answered(t, true)
  await post(letter({ from: ADA, to, text: 'Do you sell zebras in Antarctica?' }))
  t.notOk((await read(made)).messages.some(({ role }: { role: string }) => role === 'agent'))
  await stores.tickets.store.noteAutomatic(ADA)
  await post(letter({ from: ADA, to, text: QUESTION }))
  t.notOk(
    (await read(made)).messages.some(({ role }: { role: string }) => role === 'agent'),
    'an automatic mail went there today'
  )
})

t.test('a mail server is asked whether it lets us in; one that is away is told from one that refuses, and stopping waits for none', async (t) => {
  const server = await mailServer(t)
  await openSmtp(server.url).check()
  const mail = {
    from: { name: 'x', address: 'a@b.example' },
    to: 'c@d.example',
    envelopeFrom: 'a@b.example',
    replyTo: 'a@b.example',
    subject: 'x',
    text: 'x',
    messageId: '<1@x>',
    headers: {}
  }
  for (const to of ['root,c@d.example', 'x<c@d.example>', 'c@d.example;e']) {
    await t.rejects(
      openSmtp(server.url).send({ ...mail, to }, new AbortController().signal), { code: 'mail_refused', retryable: false }, to
    )
  }
  await openSmtp(server.url).send(mail, new AbortController().signal)
  t.match(server.got.map(({ to }) => to), [['c@d.example']], 'one that was stored before, or stands in a mail, is not read as a list')
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => { silent.listen(0, '127.0.0.1', resolve) })
  t.teardown(() => { silent.close() })
  const { port } = silent.address() as AddressInfo
  const hasty = { connectionTimeout: 200, greetingTimeout: 200, socketTimeout: 200 }
  await t.rejects(openSmtp(`smtp://me:pw@127.0.0.1:${port}`, hasty).check(), {
    code: 'mail_unavailable', retryable: true
  })
  const stop = new AbortController()
  const sent = openSmtp(`smtp://127.0.0.1:${port}`, hasty).send(mail, stop.signal)
  stop.abort(new Error('stopped'))
  await t.rejects(sent, { message: 'stopped' })
})

t.test('the command line says how mail goes out and comes in', async (t) => {
  const { directory, server, stores } = await desk(t)
  const call = async (env: Record<string, string>) => {
    const out: string[] = []
    await run(['mail', '--json', '--data', directory], {
      env, out: (text) => out.push(text), note: (text) => t.comment(text)
    })
    return JSON.parse(out.join('')) as Record<string, string>
  }
  const posted = `/v1/inbound/mail/${stores.tickets.inbox.token()}`
  t.strictSame(await call({}), {
    out: 'not set (AGENTHALL_SMTP_URL)',
    from: 'not set (AGENTHALL_MAIL_FROM)',
    mailbox: 'not set (AGENTHALL_IMAP_URL)',
    posted_to: posted
  })
  t.match(
    await call({
      AGENTHALL_SMTP_URL: server.url,
      AGENTHALL_MAIL_FROM: 'a@b.example',
      AGENTHALL_IMAP_URL: 'imaps://a:b@c.example'
    }),
    { out: 'accepts our login', from: 'a@b.example', mailbox: /once a minute/ }
  )
  t.match(await call({ AGENTHALL_SMTP_URL: 'smtp://127.0.0.1:1' }), { out: /cannot be reached/ })
  await t.rejects(
    async () =>
      readConfig({ AGENTHALL_SMTP_URL: 'mail.example', AGENTHALL_MAIL_FROM: 'nobody', AGENTHALL_IMAP_URL: 'imap://x' }),
    { message: /SMTP_URL is not usable[^]*MAIL_FROM is "nobody"[^]*IMAP_URL is not usable/ }
  )
})

const withoutDovecot = spawnSync('dovecot', ['--version']).error && 'dovecot is missing: apt-get install dovecot-imapd'

/** Debian's Dovecot over its own mailbox. */
async function dovecot (t: Test) {
  // The paths of its sockets may have 100 characters.
  const base = mkdtempSync(path.join(tmpdir(), 'imap-'))
  for (const folder of ['run', 'mail/cur', 'mail/new', 'mail/tmp']) {
    mkdirSync(path.join(base, folder), { recursive: true })
  }
  const probe = createServer()
  await new Promise<void>((resolve) => { probe.listen(0, '127.0.0.1', resolve) })
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => { probe.close(resolve) })
  // Dovecot serves nobody's mail as root, so root passes it to the users that its package created.
  const own = userInfo()
  const isRoot = own.uid === 0
  const idOf = (kind: '-u' | '-g') => Number(execFileSync('id', [kind, 'dovecot']).toString())
  const [uid, gid] = isRoot ? [idOf('-u'), idOf('-g')] : [own.uid, own.gid]
  const give = () => { if (isRoot) execFileSync('chown', ['-R', `${uid}:${gid}`, path.join(base, 'mail')]) }
  writeFileSync(path.join(base, 'users'), `help:{PLAIN}secret:${uid}:${gid}::${base}\n`)
  writeFileSync(path.join(base, 'dovecot.conf'), `protocols = imap
base_dir = ${base}/run
log_path = ${base}/log
ssl = no
disable_plaintext_auth = no
listen = 127.0.0.1
first_valid_uid = 1
first_valid_gid = 1
default_internal_user = ${isRoot ? 'dovecot' : own.username}
default_login_user = ${isRoot ? 'dovenull' : own.username}
default_internal_group = ${isRoot ? 'dovecot' : own.username}
mail_location = maildir:${base}/mail
passdb {
  driver = passwd-file
  args = ${base}/users
}
userdb {
  driver = passwd-file
  args = ${base}/users
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
service anvil {
  chroot =
}
`)
  const child = spawn('dovecot', ['-F', '-c', path.join(base, 'dovecot.conf')], { stdio: 'ignore' })
  t.teardown(() => new Promise<void>((resolve) => {
    child.once('exit', () => {
      rmSync(base, { recursive: true, force: true })
      resolve()
    })
    child.kill()
  }))
  if (isRoot) chmodSync(base, 0o755)
  const deliver = (name: string, raw: string) => {
    writeFileSync(path.join(base, 'mail', 'new', name), raw.replaceAll('\n', '\r\n'))
    give()
  }
  return { url: `imap://help:secret@127.0.0.1:${port}/INBOX`, base, deliver }
}

/** Polls the mailbox until the server is up. */
async function seen (url: string, take: (mail: Buffer) => Promise<boolean>, most = 1_000_000) {
  for (let tries = 0; ; tries++) {
    try {
      return await openMailbox(url, most).each(take, new AbortController().signal)
    } catch (error) {
      if (tries > 100 || (error as { code?: string }).code !== 'ECONNREFUSED') throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

t.test('answers are fetched from a mailbox of dovecot, each once; what is not ours stays unread, and what fails comes again', { skip: withoutDovecot }, async (t) => {
  const { url, deliver, base } = await dovecot(t)
  deliver('1', letter({ from: ADA, to: 'help@ours.example', text: 'One' }))
  deliver('2', letter({ from: ADA, to: 'help@ours.example', text: 'Two' }))
  deliver('3', letter({ from: ADA, to: 'help@ours.example', text: 'x'.repeat(5000) }))
  const got: string[] = []
  await t.rejects(seen(url, async (mail) => {
    if (mail.includes('Two')) throw new Error('not now')
    return got.push(mail.toString()) > 0
  }, 2000), { message: 'not now' })
  await seen(url, async (mail) => got.push(mail.toString()) < 0, 2000)
  await seen(url, async () => t.fail('each is handed over once'), 2000)
  t.match(got, [/One/, /Two/])
  t.equal(got.length, 2, 'one that is too large is passed over')
  t.equal(
    readdirSync(path.join(base, 'mail', 'cur')).filter((name) => /,.*S/.test(name)).length,
    1,
    'what was taken is marked as read'
  )
  await t.rejects(
    openMailbox(url.replace('secret', 'wrong'), 1000).each(async () => true, new AbortController().signal), /./
  )
  await t.rejects(openMailbox(url, 1000).each(async () => true, AbortSignal.abort(new Error('stopped'))), /./)

  const { ticket, got: mails, read, settled, clock } = await desk(t, { env: { AGENTHALL_IMAP_URL: url } })
  const made = await ticket()
  deliver('4', letter({ from: SUPPORT, to: mails[0]!.header('reply-to')!, text: 'By mailbox' }))
  clock.advance(61_000)
  await settled()
  t.match((await read(made)).messages, [{ role: 'person', text: 'By mailbox' }])
  const away = await desk(t, { env: { AGENTHALL_IMAP_URL: 'imap://a:b@127.0.0.1:1' } })
  away.clock.advance(61_000)
  await away.settled()
  t.equal((await away.read(await away.ticket())).status, 'sent', 'a mailbox that is away holds nothing up')
})
