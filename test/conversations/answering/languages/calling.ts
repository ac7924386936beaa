/** Sentences of people who want to be called, and below the line of those who only speak of calls. */
export const CALLING: Record<string, string> = {
  en: `
please call me back|could someone call me please|can you ring me|Can I get a callback?|I would like a call back|call me on 07700 900123
give me a ring please|please phone me tomorrow|Could you call me back this afternoon?|I'd like to request a callback
---
What is your call back policy?|Can I call you?|Do you call before delivery?|My dog does not come when I call|Can you call me a taxi?
When will you call me with the results?|Will you call me before you come?|Could you give us a call when it is ready?|Do not call me`,
  de: `
Können Sie mich zurückrufen?|Bitte rufen Sie mich an|Rückruf bitte|Ich hätte gern einen Rückruf|Ruft mich bitte an
Könnten Sie mich morgen Vormittag anrufen?|Ich bitte um Rückruf|Ich möchte zurückgerufen werden
---
Rufen Sie vor der Lieferung an?|Kann ich Sie anrufen?|Gab es einen Rückruf für dieses Modell?|Rufen Sie mich an, bevor Sie kommen?
Können Sie mich anrufen, wenn der Wagen fertig ist?`,
  fr: `
je voudrais être rappelé|rappelez-moi s’il vous plaît|Pouvez-vous me rappeler ?|Vous pouvez m’appeler ?
je souhaite être contactée par téléphone|J’aimerais qu’on me rappelle|Merci de me rappeler
---
Puis-je vous appeler ?|Appelez-vous avant de livrer ?|Pouvez-vous m’appeler avant de passer ?|Comment s’appelle ce vin ?|Rappelez-vous ma commande ?`,
  es: `
¿Me pueden llamar?|llámenme por favor|Quiero que me llamen|¿podrían devolverme la llamada?|¿Podéis llamarme mañana?
---
¿Puedo llamar por teléfono?|¿Llaman antes de entregar?|¿Me pueden llamar antes de venir?|¿Cómo se llama el perro?`,
  it: `
Potete richiamarmi?|vorrei essere richiamato|chiamatemi per favore|Mi potete chiamare domani?
---
Posso chiamarvi?|Chiamate prima della consegna?|Come si chiama il gatto?|Potete chiamarmi prima di passare?`,
  pt: `
Podem ligar-me?|me liguem por favor|gostaria que me ligassem de volta|Pode me ligar amanhã?
---
Posso ligar para vocês?|Ligam antes da entrega?|Podem ligar-me antes de vir?`,
  nl: `
Kunt u mij terugbellen?|bel me terug aub|Ik wil graag teruggebeld worden|Kan iemand mij bellen?
---
Kan ik jullie bellen?|Belt u voor de levering?|Kunt u mij bellen als het klaar is?`,
  sv: 'Kan ni ringa mig?|ring upp mig tack|Jag vill bli uppringd\n---\nKan jag ringa er?|Ringer ni innan ni levererar?|Kan ni ringa mig innan ni kommer?',
  da: 'Kan I ringe til mig?|ring mig op|Jeg vil gerne ringes op\n---\nKan jeg ringe til jer?|Ringer I inden levering?',
  no: 'Kan dere ringe meg?|ring meg opp|Jeg vil gjerne bli oppringt\n---\nKan jeg ringe dere?|Ringer dere før levering?',
  fi: 'Voitteko soittaa minulle?|soittakaa takaisin|Soita minulle\n---\nVoinko soittaa teille?|Soitatteko ennen toimitusta?',
  pl: `
Proszę o telefon|proszę oddzwonić|Czy możecie do mnie zadzwonić?|Zadzwońcie do mnie
---
Czy mogę zadzwonić?|Czy dzwonicie przed dostawą?|Jaki macie numer telefonu?`,
  cs: 'Můžete mi zavolat?|zavolejte mi prosím\n---\nMůžu vám zavolat?|Voláte před doručením?',
  sk: 'Môžete mi zavolať?|zavolajte mi prosím\n---\nMôžem vám zavolať?',
  ru: 'Перезвоните мне пожалуйста|Можете мне позвонить?\n---\nМожно вам позвонить?|Вы звоните перед доставкой?|Позвоните мне, когда будет готово',
  uk: 'Передзвоніть мені|Можете мені зателефонувати?\n---\nЧи можна вам подзвонити?|Ви телефонуєте перед доставкою?',
  tr: 'Beni arar mısınız?|beni geri arayın\n---\nSizi arayabilir miyim?|Teslimattan önce arıyor musunuz?',
  ro: 'Mă puteți suna?|sunați-mă vă rog\n---\nVă pot suna?|Sunați înainte de livrare?',
  hu: 'Vissza tudnak hívni?|hívjanak vissza kérem|Visszahívást kérek\n---\nFelhívhatom önöket?|Felhívnak szállítás előtt?',
  el: 'Μπορείτε να με καλέσετε;|πάρτε με τηλέφωνο\n---\nΜπορώ να σας καλέσω;|Τηλεφωνείτε πριν την παράδοση;',
  bg: 'Обадете ми се|Може ли някой да ми се обади?\n---\nМога ли да ви се обадя?',
  hr: 'Nazovite me|Možete li me nazvati?\n---\nMogu li vas nazvati?',
  sl: 'Pokličite me|Me lahko pokličete?\n---\nVas lahko pokličem?',
  ca: 'Em podeu trucar?|truqueu-me si us plau\n---\nUs puc trucar?',
  ja: '電話してください|折り返しお電話いただけますか\n---\n電話番号は？|電話で予約できますか？|配達前に電話してください',
  ko: '전화해 주세요|전화 부탁드립니다\n---\n전화번호가 뭐예요?|전화 주문 되나요?',
  zh: '请给我打电话|可以回电吗|請回電給我\n---\n电话号码是多少？|可以打电话订吗？|送货前给我打电话吗？',
  ar: 'هل يمكنكم الاتصال بي؟|اتصلوا بي\n---\nهل يمكنني الاتصال بكم؟|كيف أتصل بكم؟',
  fa: 'لطفا با من تماس بگیرید|می‌توانید به من زنگ بزنید؟\n---\nمی‌توانم با شما تماس بگیرم؟',
  he: 'תתקשרו אליי בבקשה|אפשר שתחזרו אליי?\n---\nאפשר להתקשר אליכם?',
  hi: 'मुझे कॉल करें|क्या आप मुझे फोन कर सकते हैं?\n---\nक्या मैं आपको कॉल कर सकता हूँ?',
  id: 'tolong telepon saya|Bisa hubungi saya kembali?\n---\nBisakah saya menelepon?|Apakah kalian menelepon sebelum mengirim?',
  vi: 'gọi lại cho tôi|Shop gọi cho mình nhé\n---\nTôi gọi cho shop được không?',
  th: 'โทรกลับหน่อยค่ะ|ช่วยโทรหาหน่อย\n---\nเบอร์โทรอะไรคะ'
}
