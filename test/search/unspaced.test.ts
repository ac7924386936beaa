import t from 'tap'
import { isInTable } from '../../src/search/sense/lexicon.ts'
import { build } from '../helper.ts'

/** A shop's texts, and the questions to it: each with words of the right answer, or null. */
const SHOPS = {
  ja: {
    page: '## 送料\n送料は全国一律600円です。\n\n## 返品\n商品到着後30日以内であれば返品できます。\n\n## 営業時間\n平日10時から18時まで営業しています。日曜日はお休みです。\n\n' +
      '## お支払い方法\nクレジットカード、銀行振込がご利用いただけます。',
    asked: [
      ['送料はいくらですか', '600円'], ['返品できますか', '30日'], ['何時から開いていますか', '10時'],
      ['クレジットカードで払えますか', 'クレジット'], ['求人はありますか', null], ['東京の人口は？', null], ['自転車を売っていますか', null]
    ]
  },
  zh: {
    page: '## 运费\n全国统一运费10元。\n\n## 退货\n收到商品后30天内可以退货。\n\n## 营业时间\n周一至周五上午9点到下午6点营业，周末休息。\n\n' +
      '## 付款方式\n我们接受支付宝和信用卡。',
    asked: [
      ['运费是多少', '10元'], ['可以退货吗', '30天'], ['几点开门', '9点'], ['可以用信用卡付款吗', '信用卡'], ['你们招人吗', null],
      ['上海有多少人口', null], ['卖自行车吗', null]
    ]
  },
  ko: {
    page: '## 배송비\n배송비는 전국 3,000원입니다.\n\n## 반품\n상품을 받으신 후 30일 이내에 반품하실 수 있습니다.\n\n## 영업시간\n평일 오전 10시부터 오후 7시까지입니다.\n\n' +
      '## 결제 방법\n신용카드, 계좌이체로 결제하실 수 있습니다.',
    asked: [
      ['배송비가 얼마예요?', '3,000원'], ['반품할 수 있나요?', '30일'], ['몇 시에 열어요?', '10시'], ['신용카드로 결제할 수 있나요?', '신용카드'],
      ['직원 채용하나요?', null], ['서울 인구는 얼마인가요?', null], ['자전거 파나요?', null]
    ]
  },
  th: {
    page: '## ค่าจัดส่ง\nค่าจัดส่งทั่วประเทศ 50 บาท\n\n## การคืนสินค้า\nคืนสินค้าได้ภายใน 30 วัน\n\n## เวลาเปิดทำการ\nเปิดวันจันทร์ถึงวันเสาร์ เวลา 9.00 ถึง 18.00 น.\n\n' +
      '## การชำระเงิน\nชำระเงินด้วยบัตรเครดิตหรือโอนเงิน',
    asked: [
      ['ค่าจัดส่งเท่าไหร่', '50 บาท'], ['คืนสินค้าได้ไหม', '30 วัน'], ['เปิดกี่โมง', '9.00'], ['จ่ายด้วยบัตรเครดิตได้ไหม', 'บัตรเครดิต'],
      ['รับสมัครงานไหม', null], ['ขายจักรยานไหม', null]
    ]
  }
} as const

// Was wrong: no word of a question in these languages was understood, and every one was answered "I do not know".
for (const [language, { page, asked }] of Object.entries(SHOPS)) {
  t.test(`${language}: a small shop's page answers what it says, and nothing else`, async (t) => {
    const { user, settled } = await build(t)
    const me = await user()
    const { id } = (await me.post('/v1/agents', { name: 'Ada', systemPrompt: 'You help.' })).json().data
    await me.post(`/v1/agents/${id}/knowledge_sources`, { title: 'Shop', plain_text: page })
    await settled()
    for (const [question, answer] of asked) {
      const conversation = (await me.post(`/v1/agents/${id}/conversations`, {})).json().data.id
      const { data } = (await me.post(`/v1/conversations/${conversation}/messages`, { text: question })).json()
      if (answer === null) t.strictSame(data.citations, [], question)
      else t.match(data.text, answer, question)
    }
  })
}

t.test('a word of the table is known in its language, also where no spaces part words', async (t) => {
  t.strictSame(['返品', '返金'].map((word) => isInTable(word, ['ja'])), [true, true])
  t.notOk(isInTable('火星人', ['ja']))
  t.notOk(isInTable('返品', ['de']))
})
