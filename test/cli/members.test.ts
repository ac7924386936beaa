import t, { type Test } from 'tap'
import { run } from '../../src/cli/index.ts'
import { build } from '../helper.ts'

/** Runs commands on the data of a test's server. */
function shell (directory: string) {
  return async (...args: string[]) => {
    const [out, notes]: [string[], string[]] = [[], []]
    const { exitCode } = await run([...args, '--data', directory], {
      env: {},
      out: (text) => {
        out.push(text)
      },
      note: (text) => {
        notes.push(text)
      }
    })
    return { exitCode, out: out.join('\n'), notes: notes.join('\n') }
  }
}

async function installation (t: Test) {
  const built = await build(t)
  const ada = await built.user({ name: 'Ada' })
  return { ...built, ada, agenthall: shell(built.directory) }
}

const tokenIn = (text: string) => /\/console\/#\/link\/([\w-]{43})/.exec(text)![1]!

t.test(
  'users link prints a link that sets a password, whether the user is named by name, address or number',
  async (t) => {
    const { agenthall, sending, ada, user, stores } = await installation(t)
    const { user: bob } = await stores.access.createUser({ name: 'Bob', email: 'bob@example.com' })
    for (const name of ['ada', String(ada.id)]) {
      t.match(
        (await agenthall('users', 'link', name)).out,
        /^User 1 \(Ada\) can choose a password here, once, within 30 minutes:\nhttp:\/\/127\.0\.0\.1:8080\/console\/#\/link\//
      )
    }
    const shown = JSON.parse((await agenthall('users', 'link', 'BOB@example.com', '--json')).out)
    t.equal(shown.user, bob.id)
    // The command uses the real time, the server of this test does not.
    t.match(
      await sending({})
        .post('/v1/links/look', { token: tokenIn(shown.link) })
        .then((answer) => answer.json().data),
      { kind: 'setup', email: 'bob@example.com' }
    )
    await user({ name: 'Ada' })
    const twice = await agenthall('users', 'link', 'Ada')
    t.match([twice.exitCode, twice.notes], [1, /2 users are called Ada\. Give the number of one: 1, 3/])
    t.match(await agenthall('users', 'link', 'Nobody'), { exitCode: 1, notes: /There is no user Nobody/ })
  }
)

t.test('members are listed, invited and removed', async (t) => {
  const { agenthall, sending, ada, user } = await installation(t)
  t.match(
    (await agenthall('members', 'list')).out,
    /ID +USER +NAME +EMAIL +ROLE +PERMISSIONS +SINCE\n1 +1 +Ada +– +owner +all/
  )
  const invited = await agenthall('members', 'invite', '--role', 'expert', '--email', 'bob@example.com')
  t.match(
    invited.out,
    /^Opening this within seven days joins Ada as expert; it works once:\nhttp.*\nHand it over yourself: nothing was mailed\.$/
  )
  t.equal(
    (
      await sending({}).post('/v1/invitations/accept', {
        token: tokenIn(invited.out), password: 'correct horse battery staple'
      })
    ).statusCode,
    201
  )
  t.match(
    (await agenthall('members', 'list', '--account', 'Ada')).out,
    /2 +2 +bob +bob@example\.com +expert +REPLY_CONVERSATION,CREATE_TICKET/
  )
  // Was wrong: a user without an account of their own did not count, and no link could be made for them.
  t.match((await agenthall('users', 'list')).out, /2 +bob +bob@example\.com/)
  t.match((await agenthall('users', 'link', 'bob@example.com')).out, /^User 2 \(bob\) can choose a password here/)
  t.equal((await agenthall('members', 'remove', '2')).out, 'Member 2 is removed.')
  t.match(await agenthall('members', 'remove', '2'), { exitCode: 1, notes: /There is no member 2 in this account/ })
  t.match(await agenthall('members', 'remove', '1'), { exitCode: 1, notes: /only owner/ })
  t.match(await agenthall('members', 'invite', '--role', 'experts'), { exitCode: 1, notes: /did you mean "expert"/ })
  t.match(await agenthall('members', 'list', '--account', '2', '--json'), { exitCode: 0, out: '[]' })
  t.match(await agenthall('members', 'list', '--account', '2'), { out: 'Nobody acts for this account.' })
  t.match(await agenthall('members', 'invite', '--account', '2', '--role', 'viewer'), {
    exitCode: 1, notes: /Nobody in this account may invite and has/
  })
  await user({ name: 'Carol' })
  t.match(await agenthall('members', 'list'), { exitCode: 1, notes: /There are 2 accounts\. Say which with --account/ })
  t.equal((await ada.get('/v1/me')).statusCode, 200)
})
