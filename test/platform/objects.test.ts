import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import { shownArguments } from '../../src/actions/calls/bind.ts'
import { openShop } from '../../src/actions/example/shop.ts'
import { NOTHING_EXPECTED } from '../../src/checks/questions.ts'
import { reasonsAgainst } from '../../src/checks/judge.ts'
import { ownProperty } from '../../src/platform/objects.ts'
import { readRtf } from '../../src/reading/formats/rtf/rtf.ts'
import { linksOf } from '../../src/reading/links.ts'
import { inFiles, listed } from '../config-as-code/helper.ts'
import { longestTurn } from '../linear/turns.ts'

// Was wrong in all of these: a name that every object has led to a function of the language.
const NAMES = ['constructor', 'toString', 'hasOwnProperty', '__proto__', 'valueOf']

t.test('names that every object has are names like others in what strangers send', async (t) => {
  for (const name of NAMES) {
    t.equal(ownProperty({ a: 1 }, name), undefined)
    t.equal(linksOf(`<title>a &${name}; b</title>`, 'https://example.com/').title, `a &${name}; b`, name)
    // In RTF a word is made of letters.
    if (name !== '__proto__') t.same(readRtf(Buffer.from(`{\\rtf1 Hello\\${name} there}`)).blocks.map(({ text }) => text), ['Hellothere'], name)
    t.equal(openShop().answer({ method: 'GET', url: new URL(`/stock/${name}`, 'https://shop.example'), key: undefined, body: '' })[0], 404, name)
    const action = { parameters: [{ name, in: 'query', type: 'string', from: 'model', description: '', required: false }] }
    t.same(shownArguments(action as never, {}), [], name)
    t.equal(reasonsAgainst({ ...NOTHING_EXPECTED, action: 'a', arguments: { [name]: 'function' } } as never, {
      text: '', cited: new Set(), isUnknown: false, reason: null, action: null, chosen: [{ name: 'a', arguments: {} }], fault: null
    }, () => true).length, 1, name)
  }
})

t.test('a secret that nobody gave is missing, whatever it is called', async (t) => {
  const { me } = await inFiles(t)
  const files = listed({
    'agenthall.yaml': 'format: 1\nmanage: [actions]\n',
    'actions/shop.yaml': 'key: shop\nname: Shop\nbase_url: https://shop.example.com\nauth: bearer\nsecret: { env: constructor }\n'
  })
  const answer = await me.post('/v1/config/plan', { files, secrets: {} })
  t.same(answer.json().data?.missing_secrets, ['constructor'], answer.body)
})

// Was wrong: each refused body left a listener on its connection, which a client may keep open indefinitely.
t.test('bodies that are refused leave nothing on a connection that goes on', async (t) => {
  const { app } = await inFiles(t)
  await app.listen({ port: 0, host: '127.0.0.1' })
  let most = 0
  app.server.on('connection', (socket) => socket.on('newListener', () => { most = Math.max(most, socket.listenerCount('close')) }))
  const { port } = app.server.address() as { port: number }
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  for (let i = 0; i < 15; i++) {
    socket.write('POST /v1/agents HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}')
    const [answer] = await once(socket, 'data') as [Buffer]
    t.match(answer.toString(), /^HTTP\/1.1 401/)
  }
  socket.destroy()
  t.ok(most < 10, `${most} listeners`)
})

// Was wrong: 90 ms for 100 KB, as a part was created for each before the form was refused.
t.test('a form of boundaries alone is refused at once', async (t) => {
  const { me } = await inFiles(t)
  await me.post('/v1/agents', { name: 'Ada', systemPrompt: 'You help.' })
  const send = async (body: string, type = 'multipart/form-data; boundary=x') => (await me.post(
    '/v1/agents/1/knowledge_sources', body, { 'content-type': type }
  )).statusCode
  await send('--x\r\n'.repeat(40))
  let status = 0
  const longest = await longestTurn(30, async () => { status = await send('--x\r\n'.repeat(20_000)) })
  t.equal(status, 413)
  t.ok(longest <= 30, `${longest} ms`)
  const part = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhello --x \r\n-x\r\n'
  t.equal(await send(`${part}--x--\r\n`), 201)
  t.equal(await send(`${part.repeat(10)}--x--\r\n`, 'multipart/form-data; boundary="x"'), 201, 'as many as may be')
  t.equal(await send(`${part.repeat(20)}--x--\r\n`), 413)
})
