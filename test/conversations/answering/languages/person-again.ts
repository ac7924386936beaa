/**
 * Wordings of who wants a human being, written without a look at the tables, in 36 languages: 83 % of them were
 * understood at first. In lines, alternatives separated by `|`.
 */
export const ASKED_AGAIN: Readonly<Record<string, string>> = {
  en: `
is there an actual person i could message|put me through to someone who works there
id rather deal with a human being|can somebody real get back to me|I need to chat with one of your team
let me talk to your manager|transfer me to an agent pls|this isnt helping, get me a person
could a colleague of yours take over?|any chance of speaking to staff|I don't want a robot, I want a human
can i get a callback from someone`,
  de: `
gibts da auch nen echten menschen|ich will mit jemandem vom laden reden|kann mich bitte jemand zurückrufen?
verbinden sie mich mal mit dem chef|ich hätte gern einen ansprechpartner|bitte einen mitarbeiter
mit wem kann ich persönlich sprechen?|hol mir jemand echtes|ich möchte keinen bot sondern einen menschen
könnte sich ein kollege bei mir melden|ist da jemand mit dem ich schreiben kann
gibt es eine person die mir helfen kann`,
  fr: `
je préfère parler à un humain|vous pouvez me passer quelqu'un ?|y a-t-il une vraie personne derrière ?
mettez-moi en relation avec un conseiller|je veux un être humain pas un robot
est-ce qu'un employé peut me rappeler|j'aimerais échanger avec quelqu'un de l'équipe|passez moi le responsable
un conseiller svp|pourrais-je discuter avec une personne réelle|quelqu'un peut me répondre en vrai ?
je souhaite être rappelé par quelqu'un`,
  es: `
quiero que me atienda una persona|me puede comunicar con alguien|prefiero hablar con un humano
hay alguien de verdad ahí?|páseme con el encargado|necesito un agente real|que me llame alguien por favor
puedo escribir con una persona de la tienda|no quiero hablar con un robot, quiero una persona
pónganme con atención al cliente|me gustaría hablar con algún empleado|asesor por favor`,
  it: `
vorrei parlare con una persona vera|mi passi un operatore|c'è qualcuno con cui posso parlare?
posso essere richiamato da qualcuno|preferisco un essere umano|mettetemi in contatto con un addetto
non voglio un bot, voglio una persona|fatemi parlare con il responsabile|un operatore per favore
può rispondermi un vostro collega|ho bisogno di parlare con qualcuno dello staff|voglio un umano`,
  pt: `
quero falar com uma pessoa de verdade|pode me passar para um atendente|tem alguém aí pra me atender?
gostaria de falar com um funcionário|prefiro ser atendido por um humano|me transfere pro gerente
um atendente por favor|alguém pode me ligar de volta?|não quero robô quero uma pessoa
posso falar com alguém da loja|preciso de contacto com um assistente humano
há alguma pessoa real com quem possa falar`,
  nl: `
kan ik met een echt persoon praten|verbind me door met een medewerker
is er iemand die me kan helpen, geen robot|ik wil graag iemand van de winkel spreken|kan iemand me terugbellen
een medewerker alstublieft|ik praat liever met een mens|mag ik de manager spreken
kunt u mij in contact brengen met een collega|ik wil een mens geen bot|zit er ook een echt mens achter
geef me een medewerker`,
  pl: `
chcę rozmawiać z człowiekiem|proszę mnie połączyć z konsultantem|czy mogę porozmawiać z kimś z obsługi
wolę pogadać z prawdziwą osobą|poproszę o kontakt z pracownikiem|czy ktoś może do mnie oddzwonić
nie chcę bota, chcę człowieka|konsultant proszę|czy jest tam jakiś żywy człowiek|przełącz mnie do kierownika
chciałbym napisać do kogoś z państwa`,
  sv: `
jag vill prata med en riktig människa|kan jag få tala med någon i personalen|koppla mig till en medarbetare
finns det någon jag kan prata med|kan någon ringa upp mig|jag vill inte prata med en robot utan en människa
en människa tack|jag föredrar att chatta med en person|får jag prata med chefen
kan du sätta mig i kontakt med kundtjänst`,
  da: `
jeg vil tale med et rigtigt menneske|kan jeg komme til at snakke med en medarbejder|stil mig om til en person
kan nogen ringe mig op|er der en jeg kan tale med|jeg vil ikke have en robot, jeg vil have et menneske
må jeg tale med chefen|et menneske tak|kan du sætte mig i kontakt med kundeservice`,
  no: `
jeg vil snakke med et ekte menneske|kan jeg få prate med en ansatt|sett meg over til en kollega
kan noen ringe meg tilbake|finnes det noen jeg kan snakke med|jeg vil ikke ha en robot, jeg vil ha et menneske
et menneske takk|kan jeg få snakke med sjefen`,
  fi: `
haluan puhua ihmisen kanssa|voinko jutella oikean henkilön kanssa|yhdistä minut asiakaspalvelijalle
voisiko joku soittaa minulle|onko siellä ketään oikeaa ihmistä|en halua bottia vaan ihmisen|ihminen kiitos
haluaisin keskustella työntekijän kanssa|saanko puhua esimiehen kanssa`,
  cs: `
chci mluvit s člověkem|můžete mě spojit s operátorem|je tam někdo živý|rád bych mluvil s někým z obchodu
může mi někdo zavolat zpět|nechci robota, chci člověka|operátora prosím|můžu si promluvit s vedoucím
potřebuji se spojit se zaměstnancem`,
  sk: `
chcem hovoriť s človekom|môžete ma spojiť s operátorom|je tam niekto živý
rád by som sa porozprával s niekým z predajne|môže mi niekto zavolať späť|nechcem robota, chcem človeka
operátora prosím`,
  hu: `
emberrel szeretnék beszélni|kapcsoljon egy ügyintézőt|van ott valódi ember|beszélhetnék valakivel az üzletből
vissza tudna hívni valaki|nem robotot akarok hanem embert|ügyintézőt kérek|szeretnék egy munkatárssal beszélni`,
  ro: `
vreau să vorbesc cu un om|îmi puteți face legătura cu un operator|e cineva acolo cu care pot vorbi
aș prefera o persoană reală|mă poate suna cineva înapoi|nu vreau robot, vreau un om|un operator vă rog
pot vorbi cu managerul`,
  tr: `
gerçek bir insanla konuşmak istiyorum|beni bir yetkiliye bağlar mısınız|müşteri temsilcisi lütfen
orada konuşabileceğim biri var mı|biri beni geri arayabilir mi|robot değil insan istiyorum
bir çalışanla görüşebilir miyim|müdürle konuşabilir miyim|canlı destek istiyorum`,
  ru: `
хочу поговорить с живым человеком|соедините меня с оператором|позовите менеджера|есть там кто-нибудь живой
не хочу робота, хочу человека|оператора пожалуйста|могу я пообщаться с сотрудником|переключите на специалиста
мне нужен человек`,
  uk: `
хочу поговорити з живою людиною|з'єднайте мене з оператором|покличте менеджера|чи є там хтось живий
чи може хтось мені передзвонити|не хочу бота, хочу людину|оператора будь ласка
можу я поспілкуватися з працівником`,
  el: `
θέλω να μιλήσω με άνθρωπο|μπορώ να μιλήσω με κάποιον υπάλληλο|συνδέστε με με έναν εκπρόσωπο
μπορεί κάποιος να με πάρει τηλέφωνο|δεν θέλω ρομπότ θέλω άνθρωπο|έναν υπάλληλο παρακαλώ`,
  id: `
saya mau bicara dengan orang asli|bisa sambungkan saya ke petugas|ada orang yang bisa saya ajak bicara?
tolong hubungkan dengan cs|bisakah seseorang menelepon saya kembali|saya tidak mau robot, mau manusia
admin dong|ingin ngobrol sama pegawainya`,
  vi: `
tôi muốn nói chuyện với người thật|cho tôi gặp nhân viên|chuyển tôi đến tổng đài viên
ai đó có thể gọi lại cho tôi không|tôi không muốn nói với robot|tôi cần gặp quản lý`,
  zh: `
我想跟真人说话|转人工|能不能帮我接客服人员|有真人在吗|请让工作人员联系我|我要找经理|可以给我回电话吗|不要机器人，要人工`,
  ja: `
人と話したいです|担当者につないでください|オペレーターをお願いします|スタッフの方と話せますか|折り返し電話をもらえますか|ロボットじゃなくて人間がいい|店長を出してください`,
  ko: `
사람이랑 얘기하고 싶어요|상담원 연결해 주세요|직원분과 통화할 수 있을까요|로봇 말고 사람이요|매니저 바꿔 주세요|전화 좀 다시 주실 수 있나요`,
  ar: `
أريد التحدث مع شخص حقيقي|حولني إلى موظف|هل يوجد أحد أتكلم معه|ممكن أحد يتصل بي|لا أريد روبوت أريد إنسان
موظف خدمة العملاء من فضلك|اريد المدير`,
  he: `
אני רוצה לדבר עם בן אדם|תעבירו אותי לנציג|יש שם מישהו אמיתי|אפשר שמישהו יחזור אליי|נציג בבקשה
לא רוצה בוט רוצה אדם|אפשר לדבר עם המנהל`,
  th: `
อยากคุยกับคนจริงๆ|ขอคุยกับเจ้าหน้าที่หน่อย|มีแอดมินไหม|ช่วยโอนสายให้พนักงานที|ให้คนโทรกลับได้ไหม
ไม่เอาบอท ขอคน`,
  fa: `
می‌خواهم با یک آدم واقعی صحبت کنم|مرا به اپراتور وصل کنید|کسی هست جواب بدهد|ممکن است کسی با من تماس بگیرد`,
  hi: `
मुझे किसी इंसान से बात करनी है|कृपया एजेंट से जोड़ दीजिए|क्या कोई मुझे वापस कॉल कर सकता है
रोबोट नहीं, इंसान चाहिए`,
  bg: `
искам да говоря с човек|свържете ме с оператор|има ли някой жив там|може ли някой да ми се обади
не искам робот, искам човек`,
  hr: `
želim razgovarati s čovjekom|spojite me s operaterom|ima li tamo nekoga živog|može li me netko nazvati`,
  sl: `
rad bi govoril s človekom|povežite me z operaterjem|je tam kdo živ|me lahko kdo pokliče nazaj`,
  ca: `
vull parlar amb una persona|em podeu passar amb algú|hi ha algú de veritat|em pot trucar algú`
}

/** Questions with the same words that ask for nobody. */
export const NOBODY_ASKED_FOR = `
how many people fit at a table|is there someone who cleans the pool every day|do you have an agent in Spain
can my colleague pick up the parcel|price per person|do I need to speak to a doctor before the vaccination
is the manager's special still on|can a person in a wheelchair get in|who is your employee of the month
can I call you on sundays|do staff speak english|I spoke to a person yesterday and she said it was free
what does your customer service cost|can someone else collect my order|do you repair robots
how do i become an agent|wie viele personen passen in das zimmer|kann jemand anderes mein paket abholen
haben ihre mitarbeiter eine ausbildung|was kostet es pro mensch|sprechen ihre mitarbeiter englisch
ich habe gestern mit einem mitarbeiter gesprochen|kann ich meinen chef mitbringen
combien de personnes peuvent dormir ici|est-ce que quelqu'un d'autre peut récupérer le colis
vos conseillers parlent anglais ?|prix par personne|cuánto cuesta por persona|puede recogerlo otra persona
sus empleados hablan inglés|cuántos empleados tienen|quanto costa a persona|può ritirare un'altra persona
quantas pessoas cabem na mesa|outra pessoa pode levantar a encomenda|hoeveel personen per kamer
mag iemand anders mijn pakket ophalen|ile kosztuje za osobę|czy ktoś inny może odebrać paczkę
czy pracownicy mówią po angielsku|hur mycket kostar det per person|kan någon annan hämta paketet
talar personalen engelska|kan en anden hente pakken|hva koster det per person|paljonko maksaa henkilöltä
kolik to stojí na osobu|může balíček vyzvednout někdo jiný|mennyibe kerül személyenként|cât costă de persoană
kişi başı fiyat ne kadar|başka biri paketi alabilir mi|сколько стоит на человека
может ли другой человек забрать заказ|скільки коштує на людину|πόσο κοστίζει το άτομο|berapa harga per orang
giá bao nhiêu một người|一个人多少钱|可以别人代取吗|一人いくらですか|한 사람당 얼마예요|كم السعر للشخص|כמה זה עולה לאדם|ราคาต่อคนเท่าไหร่
i don't have a robot vacuum, does the person who delivers it install it
do you sell robots that people can talk to|ich habe keinen saugroboter, was kostet einer
not a robot mower but a normal one for two people please|koľko to stojí na osobu|je tam niekde parkovanie
môže balík prevziať niekto iný|hovoria vaši zamestnanci po anglicky|kto je u vás vedúci kuchyne
koliko košta po osobi|može li netko drugi preuzeti paket|govore li vaši djelatnici engleski
ima li parkirališta|želim sobu za jednu osobu|koliko stane na osebo|ali lahko paket prevzame kdo drug
rad bi sobo za eno osebo|imate kaj za otroke|je tam parkirišče|колко струва на човек
може ли някой друг да вземе пратката|има ли някой паркинг наблизо|искам стая за един човек
говорят ли служителите английски|quant costa per persona|pot recollir-ho una altra persona
vull una habitació per una persona|els vostres empleats parlen anglès|em podeu passar la factura
hi ha algú que arregli bicicletes|könnte sich jemand bei euch ein rad leihen
gibt es jemanden der räder repariert|kann ich bei ihnen im laden mit karte zahlen
gibt es im laden einen chef de cuisine|ist da jemand am wochenende|habt ihr mitarbeiter rabatt
haben sie einen techniker für waschmaschinen|er der en butik jeg kan gå i
finnes det noe jeg kan spise uten gluten|finns det något jag kan äta utan gluten
puo chiamarmi quando il pacco arriva|ทำงานกี่คน|มีพนักงานกี่คน|มีแอดมินสอนไหม|يمكن لشخص واحد
er der noget jeg kan spise uden gluten|er det noe jeg kan gjøre selv|finns det något jag kan göra`
