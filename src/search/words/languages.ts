import { lazily } from '../../platform/lazily.ts'
import { keysOf } from '../../../schema/typed.ts'
import { isRewritten } from './endings.ts'

/**
 * A language that we know: the name of its stemming algorithm, null where its words have no endings to take off, and
 * its commonest function words, folded.
 */
interface Known { stemmer: string | null, common: string }

const KNOWN = {
  en: {
    stemmer: 'english',
    common:
      'the of and to in is that for it as was with be by on not he his but at are this have from or had an they which you were her she all their there been one so we what who will would when can if no do how i my me your does did am has about into than then them these those its our could should may a s t where why any some over after before only other up out just like most such here under between no us'
  },
  de: {
    stemmer: 'german',
    common:
      'der die das und in den von zu mit sich des auf fur ist im dem nicht ein eine als auch es an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem uber einen so zum war haben nur oder aber vor zur bis mehr durch man sein ich du wir ihr kann wenn was mein meine ihre ihren wo wer warum konnen diese dieser dieses welche welcher welches welchen welchem wann wem wen wieviel wieviele'
  },
  fr: {
    stemmer: 'french',
    common:
      'le la les de des du et en un une est que qui dans pour pas sur au aux avec ce il elle ne se son sa ses plus par je vous nous ou mais sont cette ces d l qu n s c j leur on tout comme etre avoir votre vos mon ma mes quand comment quel quelle est-ce quels quelles combien pourquoi'
  },
  es: {
    stemmer: 'spanish',
    common:
      'el la los las de del y en un una que es por con no se su para al lo como mas o pero sus le ha me si sin sobre este esta ya entre cuando todo ser son dos tambien fue era muy hasta desde mi yo tu usted cual donde puedo esto cuales quien quienes cuanto cuanta cuantos cuantas'
  },
  it: {
    stemmer: 'italian',
    common:
      'il lo la i gli le di del della dei delle e in un una che per non con su si da dal alla al sono come piu ma anche o se nel nella questo questa ha ho l d mi ci ne loro suo sua quando dove cosa chi posso quale quali quanto quanta quanti quante perche'
  },
  pt: {
    stemmer: 'portuguese',
    common:
      'o a os as de do da dos das e em um uma que no na nos nas por para com nao se mais como mas ao aos foi ou seu sua ser quando muito ha ja esta eu tambem so pelo pela ate isso ela entre era depois sem mesmo voce meu minha onde qual posso quais quem quanto quanta quantos quantas'
  },
  nl: {
    stemmer: 'dutch',
    common:
      'de het een en van in is dat op te zijn met voor niet aan er om ook als dan maar bij of uit nog naar door over ze zich hij wordt deze heeft ik je u wij we kan wat mijn uw hoe waar wie worden werd dit die tot welke welk wanneer waarom hoeveel'
  },
  sv: {
    stemmer: 'swedish',
    common:
      'och i att det som en pa ar av for med den till inte har de ett om han var jag men sig fran vi sa kan nar du min mitt hur vad eller skulle kunna denna detta ska vid finns vilken vilket vilka vem varfor'
  },
  da: {
    stemmer: 'danish',
    common:
      'og i at det er en den til af som pa de med han for ikke der var mig sig men et har om vi min havde fra du nu over da sin jeg kan hvad hvordan efter skal dig eller blev vil hvis ogsa hvilken hvilket hvilke hvem hvornar hvorfor hvor'
  },
  no: {
    stemmer: 'norwegian',
    common:
      'og i det er pa en som til at av for ikke den har med de et han var jeg fra men om seg vi kan min meg hva hvordan etter skal deg eller ble vil hvis ogsa ved noe kunne du ut hvilken hvilket hvilke hvem nar hvorfor hvor'
  },
  fi: {
    stemmer: 'finnish',
    common:
      'ja on ei se etta han oli en mutta ovat ole tai kun niin hanen myos joka sen mita jos kuin nyt vain mina sina voi voin miten tama ollut olla siita ne jotka sita minun kanssa'
  },
  hu: {
    stemmer: 'hungarian',
    common:
      'a az es hogy nem is egy ez azt van meg csak de mar ki ha volt el mint vagy lesz kell mi le en meg be majd sem hogyan milyen lehet minden aki amely ezt nagyon'
  },
  ro: {
    stemmer: 'romanian',
    common:
      'de si in la a cu pe nu se este o un din care ca mai sa pentru al ale fi sunt sau dar au fost prin dupa cum cand eu tu imi lui ei unde cel cea aceasta acest ce cine cat cata cati cate caror'
  },
  tr: {
    stemmer: 'turkish',
    common:
      've bir bu da de icin ile ne mi cok daha var ben o gibi ama ki sen kadar olarak en her sonra nasil mu yok degil veya ise olan biz siz nerede nedir kimdir hangi kac kim neden niye tarafindan uzere gore ancak fakat cunku hem ya idi oldugu diye butun tum bazi hic bile onun bunun su bunlar buna bunu ona onu onlar kendi zaman nereye nereden hangisi'
  },
  ca: {
    stemmer: 'catalan',
    common:
      'el la els les de del dels i en un una que es per amb no al als ha son mes com pero o se seu seva l d s n quan aquest aquesta on jo tu puc molt tambe'
  },
  cs: {
    stemmer: 'czech',
    common:
      'a v se na je ze to s z do o i za k po ve ale jako by si pro jsem jsou od pri nebo tak co jak uz kdyz jeho bylo byl jen ktery ktera ktere podle muze mohu kde'
  },
  sl: {
    stemmer: 'slovene',
    common:
      'in je v na da se za so z ki ne s tudi pa po pri bi ali kot od do o ob sem bil kako lahko iz kaj ni ko ta to kje smo'
  },
  eu: {
    stemmer: 'basque',
    common:
      'eta da ez bat dira du zen ere dute baina hau edo izan egin zuen behar nola baino hori beste bere dago ditu nire'
  },
  ga: {
    stemmer: 'irish',
    common: 'an agus na ar i a is le do go ag bhi de ta se nach sa as ni leis si mar ach faoi chun fein seo sin air'
  },
  ru: {
    stemmer: 'russian',
    common:
      'и в не на что я с он как а то это по но из у к за от так о для же все вы бы мы при или если когда есть был была было мне только уже до чтобы его ее можно где мой какои какая какое какие каких какого какую каким кто кого чего сколько почему куда'
  },
  ar: {
    stemmer: 'arabic',
    common: 'في من على ان الى عن ما لا هذا هذه التي الذي مع هو هي كان او ثم كل قد لم بعد قبل كيف هل يمكن إلى أن'
  },
  el: {
    stemmer: 'greek',
    common:
      'και το του η ο να των τησ τη την τα με που για απο στο στην στη στα στον στουσ στισ σε ειναι δεν δε θα ωσ ενα μια ενασ οτι οι τον τουσ τισ αυτο αυτη αυτοσ αυτα ηταν εχει εχουν αν κατα μετα ποιοσ ποια ποιο ποιοι ποτε ποσο ποσα ποσοι τι πωσ γιατι μου σου μασ σασ αλλα οπωσ μπορω μπορει οποια οποιο οποιοσ μην ουτε ενω οταν επισησ προσ'
  },
  hi: {
    stemmer: 'hindi',
    common:
      'के का की में है से को और पर ने एक यह कि हैं था थे थी भी लिए इस वह जो ही या तो हो किया जाता गया कर रहा रहे रही अपने उस करने साथ तक द्वारा नहीं होता होती क्या कब कहाँ कहां कौन कैसे क्यों किस किसने कितने कितना कितनी मैं हम आप मेरे मुझे उन इन उनके इसके उसके जब सकते सकता हुए हुआ हुई होने होते वे ये जिस दिया किसी कौनसा कौनसी'
  },
  vi: {
    stemmer: null,
    common:
      'va cua la cac co trong duoc cho mot voi khong nhung den da nay khi tu ra ve theo vao nhu hay boi tai sau de con cung o do se bi neu thi ma nao gi bao nhieu ai dau sao phai tren hon rat toi chung minh truoc hoac nen duoi the'
  },
  pl: {
    stemmer: 'polish',
    common:
      'i w na z do nie sie to jest ze o jak co czy a ale po od za dla przez przy juz tak tylko lub albo ten ta te tego tej tym ja ty on ona my wy oni moj moja jego jej ich kto gdzie kiedy ktory ktora ktore byc byl byla moze moge mozna u pod nad oraz we ku bo gdy jaki jaka jakie jakiego jakiej jakim jakich ile dlaczego ktorego ktorej ktorym ktorych'
  },
  uk: {
    stemmer: 'ukrainian',
    common:
      'і й та в у на не що я з із зі він вона воно вони як а то це цеи ця ці по але до від для про за же все ви ми ти б би при або чи якщо коли є був була було були мені тільки вже щоб иого її їх де міи моя можна який яка які також ще під над через'
  },
  bg: {
    stemmer: 'russian',
    common:
      'и в на не че се да от за с по е са съм си ли като но или ще това тои тя те то аз ти ние вие го му им ме ни ви бе беше има няма как къде кога които която което които до при след през още само може мога моя моят ако'
  },
  fa: {
    stemmer: null,
    common: 'و در به از که این ان را با است برای یک تا بر هم یا من شما ما او می ها های هر چه اگر اما نیز خود شد شود کرد بود'
  },
  he: {
    stemmer: null,
    common: 'של את על לא זה אני הוא היא עם כי או גם אם מה יש אין כל אבל רק איך מתי איפה למה הם אנחנו אתה אתם היה היתה כמו עד בין'
  },
  id: {
    stemmer: 'indonesian',
    common:
      'yang dan di ke dari untuk dengan pada itu ini adalah atau tidak saya anda kami kita dia mereka akan juga ada bisa dapat oleh sudah belum karena jika kalau apa apakah siapa siapakah kapan kapankah berapa berapakah mana manakah dimana dimanakah mengapa bagaimana bagaimanakah dalam sebagai lebih'
  },
  hy: { stemmer: 'armenian', common: 'եւ և է որ են մեջ համար այս չի հետ նա ես մի էր ինչպես բայց կամ' },
  ta: { stemmer: 'tamil', common: 'மற்றும் ஒரு இந்த என்று அது உள்ள என்ன எப்படி நான் அந்த' }
} as const satisfies Record<string, Known>

/** ISO 639-1 code of a language that we know. */
export type Language = keyof typeof KNOWN

/** All of them; of those that a text shows as much of, the first is taken. */
export const LANGUAGES: Language[] = keysOf(KNOWN)
const COMMON = lazily(
  () => new Map(LANGUAGES.map((language) => [language, new Set<string>(KNOWN[language].common.split(' '))]))
)

/** Whether a language is one that we know, of those that a text can be told to be in. */
export const isKnown = (language: string | null): language is Language =>
  language !== null && Object.hasOwn(KNOWN, language)

/** The stemming algorithm of a language; null where words stay as they are. */
export function stemmerOf (language: Language): string | null {
  return KNOWN[language].stemmer
}

/**
 * A folded word with the accent by which the stemmer knows its ending, whether or not it was typed, and in the
 * singular: without, `devolución` and `devoluciones` would not meet, nor `instrução` and `instruções`, `remboursé` and
 * `remboursée`, `fidélité` and `fidélités`.
 */
export function withAccent (word: string, language: Language): string {
  if (language === 'es') return word.replace(/cion(?:es)?$/, 'ción')
  if (language === 'fr') {
    return word
      .replace(/ee(s?)$/, 'ée$1')
      .replace(/ite(s?)$/, 'ité$1')
      .replace(/ier(es?)$/, 'ièr$1')
      .replace(/erent$/, 'èrent')
  }
  if (language === 'pt') return word.replace(/c(?:ao|oes)$/, 'ção')
  return word
}

/** Languages of which other algorithms took the endings off up to form 1, or none. */
const STEMMED_BEFORE: Partial<Record<Language, string | null>> = { id: null, pl: null, uk: 'russian' }

/**
 * The algorithm by which words of a language were cut up to form 1, without `rewritten`; undefined where they are cut
 * as they were.
 */
export function stemmerBefore (language: Language): string | null | undefined {
  if (Object.hasOwn(STEMMED_BEFORE, language)) return STEMMED_BEFORE[language]
  return isRewritten(language) ? stemmerOf(language) : undefined
}

/** Whether this folded word says nothing about the subject in that language: the, und, de, и. */
export function isCommon (word: string, language: Language): boolean {
  return COMMON().get(language)!.has(word)
}
