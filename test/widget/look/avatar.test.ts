import t from 'tap'
import { AGENT_DEFAULTS } from '../../../schema/agents.ts'
import { pictureOf } from '../../../src/widget/avatar.ts'
import { site } from '../helper.ts'

const pictured = (type: string, more: { src?: string, name?: string, color?: string } = {}) => pictureOf({
  ...AGENT_DEFAULTS.appearance,
  chatbotName: more.name ?? 'Ada Lovelace',
  primaryColor: more.color ?? '#0f766e',
  avatar: { type, src: more.src ?? '' }
})
const drawn = (address: string) => decodeURIComponent(address.replace('data:image/svg+xml,', ''))

t.test('beside its messages stands the picture, a drawing without one, or the initials of its name', async (t) => {
  t.equal(pictured('default'), '', 'the drawing of the widget')
  t.equal(pictured('image'), '')
  for (const type of ['default', 'image', 'of an older program']) {
    t.equal(pictured(type, { src: 'https://shop.example/ada.png' }), 'https://shop.example/ada.png', type)
  }
  t.match(pictured('initials', { src: 'https://shop.example/ada.png' }), /^data:image\/svg\+xml,/)
  t.match(drawn(pictured('initials')), /fill="#0f766e".*fill="#ffffff".*>AL<\/text>/s)
  t.match(drawn(pictured('initials', { color: '#ffe066' })), /fill="#000000"/, 'letters that can be read')
})

t.test('initials are letters of the name, whatever is in it', async (t) => {
  const letters = (name: string) => />([^<]*)<\/text>/.exec(drawn(pictured('initials', { name })))?.[1]
  t.equal(letters('ada'), 'A')
  t.equal(letters('Ärzte ohne grenzen'), 'ÄG')
  t.equal(letters('陶芸 教室'), '陶教')
  t.equal(letters('<script> & "Co"'), 'SC')
  t.equal(letters('e\u0301va 7even'), 'E\u03017')
  t.equal(pictured('initials', { name: '!!! \ud800' }), '', 'the drawing, where there is none')
})

t.test('the widget is told the picture to show', async (t) => {
  const { me, id, key, page } = await site(t)
  t.equal((await me.put(`/v1/agents/${id}`, {
    appearance: { chatbotName: 'Ada Lovelace', avatar: { type: 'initials' } }
  })).statusCode, 200)
  const { appearance } = (await page().get(`/v1/widget/${key}/config`)).json().data
  t.equal(appearance.avatar.type, 'initials')
  t.match(drawn(appearance.avatar.src), '>AL</text>')
})
