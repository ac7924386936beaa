import { CALLING } from './languages/calling.ts'

/**
 * What people write who want a human being, thirty wordings a language: plain, polite, impatient, mistyped, without
 * punctuation, with words around them; and after `---` ten that have such words in them and ask for nobody. Every
 * second one of each list (the odd indexes, from 0) was held out from the patterns until they were done.
 */
const SENTENCES = {
  en: `
Can I talk to a human?|I want to speak with someone|Please connect me to an agent|let me talk to a real person
Is there somebody I can speak to?|human please|I'd rather speak to a person|transfer me to a representative now
I need to talk to customer service|could you put me through to a colleague please|I want a human being, not a bot
Are there any real people I could chat with?|get me an operator|talk to human|can sb from your team call me
May I please speak with a member of staff?|this is useless, give me a human|speak to support|live agent
I would like to be connected with an employee|Can someone from your team help me?|agent!!!
I don't want to talk to a robot, I want a person|hand me over to a human colleague|can i chat with an actual person
Could I possibly have a word with someone in charge?|I want to speak to your manager|is there a real human there
no more bots. real person.|I wud like to talk to a persn
---
Do people like it?|Is this a human hair wig?|I spoke with a colleague yesterday|Is it big enough for one person?
How much is it per person?|Does the agent remove rust?|I will talk to my wife about it
Who is the manufacturer's representative in Spain?|Can the speaker connect to my phone?|Do you need a real ID for the course?`,
  de: `
Kann ich mit einem Menschen sprechen?|Verbinden Sie mich mit einem Mitarbeiter|Ich möchte mit jemandem reden
Mensch bitte|Ich will einen echten Menschen|Bitte mit einem Mitarbeiter verbinden|kann ich mal mit wem sprechen
Gibt es hier auch echte Menschen?|Ich würde gerne mit dem Kundenservice sprechen|Mitarbeiter!
Könnten Sie mich bitte zu einem Kollegen durchstellen?|Ich brauche einen menschlichen Ansprechpartner
Ich will mit keinem Bot reden, gib mir einen Menschen|Holen Sie bitte einen Kollegen dazu|echte Person bitte
Kann mich jemand von euch anrufen?|ich moechte mit einem berater sprechen|Ist da ein echter Mensch?
Leiten Sie mich an einen Mitarbeiter weiter|Ich hätte gern einen Menschen am Apparat|mit Support sprechen
Kann ich bitte jemanden persönlich sprechen?|Das bringt nichts, ich will mit einem richtigen Menschen reden
Wie erreiche ich einen Mitarbeiter?|Lassen Sie mich mit Ihrem Chef sprechen|jemand echtes da?
Kann mir ein Mensch helfen?|mit nem mitarbeiter schreiben|Dürfte ich bitte mit einer Kollegin sprechen?
ich möchte mit einen Mitarbeiter sprehcen
---
Ist das Material menschlich?|Ich habe gestern mit einem Mitarbeiter gesprochen|Wie viele Menschen passen hinein?
Was kostet es pro Person?|Mögen die Leute das?|Suchen Sie Mitarbeiter?|Ich will nicht mit einem Menschen sprechen
Ich rede erst mit meiner Frau|Ist der Kurs für jemanden mit Erfahrung?|Kann man den Lautsprecher mit dem Handy verbinden?`,
  fr: `
Puis-je parler à quelqu'un ?|Je voudrais parler à un humain|Passez-moi un conseiller|un humain svp
Je veux parler avec une vraie personne|Pouvez-vous me mettre en relation avec un conseiller ?|Y a-t-il un vrai humain ici ?
J'aimerais discuter avec quelqu'un de votre équipe|Transférez-moi à un agent|parler au service client
est ce que je peux parler a un etre humain|Je préfère parler à une personne|conseiller s'il vous plaît
Est-ce que quelqu'un peut me rappeler ?|Je souhaite être mis en relation avec un collaborateur
Marre du robot, je veux un humain|Serait-il possible d'échanger avec un membre de votre équipe ?
Je veux parler à votre responsable|Comment joindre un conseiller ?|donnez moi un vrai interlocuteur
J'ai besoin d'un humain|Pourrais-je avoir quelqu'un au téléphone ?|contacter un conseiller
C'est inutile, passez-moi quelqu'un|Y a-t-il quelqu'un à qui je peux parler ?|operateur
Je ne veux pas parler à un robot mais à une personne|Un conseiller peut-il m'aider ?|joindre le support
je voudré parler a un conseillé
---
Est-ce que les gens l'aiment ?|C'est une perruque en cheveux humains ?|J'ai parlé à un conseiller hier
C'est combien par personne ?|Le matériau est-il d'origine humaine ?|Combien de personnes peuvent dormir dedans ?
Je vais en parler à ma femme|Quel modèle me conseillez-vous ?|Est-ce un cadeau pour quelqu'un de 60 ans ?
Je ne veux pas parler à un conseiller`,
  es: `
¿Puedo hablar con alguien?|Quiero hablar con una persona|Páseme con un agente|humano por favor
Necesito hablar con un humano|¿Me puede comunicar con un asesor?|una persona real por favor
Quisiera hablar con atención al cliente|conécteme con un operador|¿Hay alguna persona con la que pueda hablar?
Esto no sirve, quiero una persona|¿Podría ponerme en contacto con un compañero, por favor?|agente
Me gustaría que me atendiera una persona|hablar con alguien de verdad|¿Me puede llamar alguien?
No quiero un robot, quiero hablar con un ser humano|transfiérame a un representante|pásame con alguien
¿Hay alguien ahí de verdad?|Prefiero hablar con un empleado|kiero ablar con una persona|Quiero hablar con su jefe
¿Sería posible hablar con alguien de su equipo?|dame un humano|contactar con un agente
¿Cómo puedo hablar con una persona?|¿Me puede ayudar un humano?|que me atienda un operador ya
Quería hablar con el encargado
---
¿A la gente le gusta?|¿Es una peluca de pelo humano?|Ayer hablé con un compañero|¿Cuánto cuesta por persona?
¿Cuántas personas caben?|¿El agente limpiador es tóxico?|Lo hablaré con mi marido
¿Sirve para alguien con alergia?|No quiero hablar con una persona|¿Tienen representantes en Chile?`,
  it: `
Posso parlare con qualcuno?|Vorrei parlare con una persona|Mi passi un operatore|operatore per favore
Voglio parlare con un essere umano|Può mettermi in contatto con un consulente?|una persona vera grazie
Mi può trasferire a un collega?|C'è qualcuno con cui posso parlare?|parlare col servizio clienti
Non voglio un bot, datemi una persona|Potrei per cortesia parlare con un vostro addetto?|umano
Ho bisogno di un operatore umano|Mi colleghi con un agente|vorrei chattare con una persona reale
Qualcuno può chiamarmi?|È inutile, voglio parlare con un umano|Preferirei parlare con un dipendente
C'è una persona vera lì?|fammi parlare con qualcuno|Come faccio a parlare con un operatore?
Desidero essere messo in contatto con un responsabile|contattare un operatore|passatemi qualcuno
Mi può aiutare una persona?|Sarebbe possibile parlare con qualcuno del vostro staff?|assistenza umana
voglio palrare con un operatore|Vorrei parlare con il titolare
---
Alla gente piace?|È una parrucca di capelli umani?|Ieri ho parlato con un operatore|Quanto costa a persona?
Quante persone ci stanno?|Ne parlo con mia moglie|È adatto a qualcuno di inesperto?
Il telecomando è a operatore singolo?|Non voglio parlare con un operatore|Avete un agente in Sicilia?`,
  pt: `
Posso falar com alguém?|Quero falar com uma pessoa|Passe-me a um atendente|atendente por favor
Gostaria de falar com um humano|Pode-me ligar a um assistente humano?|quero um atendente humano
Me transfere para um atendente|Preciso falar com uma pessoa de verdade|falar com o suporte
Há alguém com quem eu possa falar?|Poderia, por gentileza, me colocar em contato com um consultor?
Não quero robô, quero uma pessoa|pessoa real por favor|Alguém pode me ligar?|humano
Queria falar com um colaborador vosso|Tem alguém aí de verdade?|chama um humano
Prefiro falar com um operador|Quero falar com o gerente|kero falar com uma pesoa
Como falo com um atendente?|Seria possível falar com alguém da equipa?|contactar um agente
Isto não ajuda, passem-me a alguém|quero ser atendido por uma pessoa|Um humano pode me ajudar?
falar com atendente|Gostava de falar com o responsável
---
As pessoas gostam?|É uma peruca de cabelo humano?|Ontem falei com um colega|Quanto custa por pessoa?
Quantas pessoas cabem?|Vou falar com a minha mulher|Serve para alguém com alergias?
O agente de limpeza é tóxico?|Não quero falar com uma pessoa|Têm representante em Angola?`,
  nl: `
Kan ik iemand spreken?|Ik wil met een mens praten|Verbind me door met een medewerker|medewerker aub
Mag ik met een collega spreken?|Kunt u mij doorverbinden met een medewerker?|een echt persoon graag
Ik wil graag iemand van de klantenservice spreken|Is er iemand met wie ik kan praten?|mens alsjeblieft
Ik heb een medewerker nodig|geen robot, ik wil een mens|Zou ik misschien met een adviseur kunnen spreken?
Kan iemand mij terugbellen?|met een echte medewerker chatten|Is daar een echt mens?
Geef me een medewerker|Ik praat liever met een persoon|kan ik ff met iemand praten
Ik zou graag met uw leidinggevende spreken|Hoe bereik ik een medewerker?|contact met een medewerker
Haal er een collega bij|Dit werkt niet, ik wil een medewerker spreken|Kan een mens me helpen?
ik wil met een medewerkr preken|Laat me met iemand praten|Spreek ik met een echt mens? Zo niet, verbind me door
Kan ik met de eigenaar spreken?|menselijke hulp graag
---
Vinden mensen het leuk?|Is het een pruik van mensenhaar?|Ik sprak gisteren een medewerker|Wat kost het per persoon?
Voor hoeveel personen is het?|Zoeken jullie nog medewerkers?|Ik overleg eerst met mijn man
Is het geschikt voor iemand met een allergie?|Ik wil niet met een medewerker praten|Kan ik de speaker verbinden met mijn tv?`,
  sv: `
Kan jag få prata med någon?|Jag vill prata med en människa|Koppla mig till en medarbetare|människa tack
Kan jag tala med kundtjänst?|Jag vill ha en riktig person|Snälla låt mig prata med en människa
Skulle jag kunna få prata med en handläggare?|Finns det någon jag kan prata med?|riktig person tack
Kan någon ringa mig?|Jag vill inte prata med en bot, jag vill ha en människa|handläggare
Koppla mig vidare till en kollega|Jag behöver en människa|Hur når jag en medarbetare?
Kan ni koppla mig till supporten?|ge mig en människa|Är det en riktig människa där?
Jag pratar hellre med en person|få chatta med en medarbetare|Jag skulle vilja tala med chefen
Kan en människa hjälpa mig?|vill prata med nån på riktigt|prata med kundservice
Hämta en kollega tack|Det här går inte, jag vill tala med någon|mänsklig hjälp tack
jag vil prata med en manniska|Får jag prata med en av era anställda?
---
Gillar folk den?|Är det en peruk av människohår?|Jag pratade med en kollega igår|Vad kostar det per person?
Hur många personer får plats?|Söker ni medarbetare?|Jag ska prata med min fru
Passar den någon med allergi?|Jag vill inte prata med en människa|Kan högtalaren kopplas till min telefon?`,
  da: `
Kan jeg tale med nogen?|Jeg vil gerne tale med et menneske|Stil mig om til en medarbejder|menneske tak
Kan jeg tale med kundeservice?|Jeg vil have en rigtig person|Må jeg snakke med en af jeres medarbejdere?
Er der nogen jeg kan snakke med?|Vil I sætte mig i forbindelse med en rådgiver?|medarbejder tak
Kan nogen ringe til mig?|Ikke en robot, jeg vil tale med et menneske|giv mig et menneske
Jeg har brug for et menneske|Hvordan får jeg fat i en medarbejder?|viderestil mig til en kollega
Er det et rigtigt menneske?|Jeg vil hellere tale med en person|chatte med en medarbejder
Kunne jeg få lov at tale med en kollega?|Jeg vil tale med chefen|tale med support
Kan et menneske hjælpe mig?|jeg vil gerne snakke med en rigtig person nu|Lad mig tale med nogen
Det her virker ikke, find en medarbejder|Kontakt til en medarbejder|menneskelig hjælp tak
jeg vil gerne tale med et mennekse|Jeg ønsker at tale med en ansat
---
Kan folk lide den?|Er det en paryk af menneskehår?|Jeg talte med en kollega i går|Hvad koster det pr. person?
Hvor mange personer er der plads til?|Søger I medarbejdere?|Jeg taler lige med min kone
Passer den til nogen med allergi?|Jeg vil ikke tale med et menneske|Kan højttaleren forbindes med min telefon?`,
  no: `
Kan jeg få snakke med noen?|Jeg vil snakke med et menneske|Sett meg over til en medarbeider|menneske takk
Kan jeg snakke med kundeservice?|Jeg vil ha en ekte person|Kan dere koble meg til en rådgiver?
Er det noen jeg kan snakke med?|Får jeg snakke med en av de ansatte?|kundebehandler takk
Kan noen ringe meg?|Ikke en robot, jeg vil prate med et menneske|gi meg et menneske
Jeg trenger et menneske|Hvordan får jeg tak i en medarbeider?|sett meg over til en kollega
Er det et ekte menneske der?|Jeg vil heller snakke med en person|chatte med en medarbeider
Kunne jeg fått snakket med en kollega?|Jeg vil snakke med sjefen|snakke med support
Kan et menneske hjelpe meg?|vil gjerne prate med en ekte person nå|La meg snakke med noen
Dette fungerer ikke, hent en medarbeider|Kontakt med en medarbeider|menneskelig hjelp takk
jeg vil snakke med et meneske|Jeg ønsker å snakke med en saksbehandler
---
Liker folk den?|Er det en parykk av menneskehår?|Jeg snakket med en kollega i går|Hva koster det per person?
Hvor mange personer er det plass til?|Søker dere medarbeidere?|Jeg skal snakke med kona
Passer den for noen med allergi?|Jeg vil ikke snakke med et menneske|Kan høyttaleren kobles til telefonen?`,
  fi: `
Voinko puhua jonkun kanssa?|Haluan puhua ihmisen kanssa|Yhdistä minut asiakaspalvelijalle|ihminen kiitos
Voisinko jutella asiakaspalvelun kanssa?|Haluan oikean ihmisen|Saisinko puhua työntekijän kanssa?
Onko siellä ketään jonka kanssa voisin puhua?|Voitteko yhdistää minut neuvojalle?|asiakaspalvelija kiitos
Voiko joku soittaa minulle?|En halua bottia, haluan puhua ihmiselle|anna minulle ihminen
Tarvitsen oikean ihmisen|Miten tavoitan asiakaspalvelijan?|siirrä minut kollegalle
Onko siellä oikea ihminen?|Puhuisin mieluummin ihmisen kanssa|chatata henkilön kanssa
Haluaisin keskustella esimiehen kanssa|puhua asiakaspalveluun|Pyydä joku ihminen auttamaan
Voiko ihminen auttaa minua?|haluan jutella oikean henkilön kanssa nyt|Päästä minut puhumaan jonkun kanssa
Tästä ei ole apua, haluan puhua jollekulle|ottaa yhteyttä työntekijään|ihmisapua kiitos
haluun puhuu ihmisen kaa|Toivoisin saavani puhua asiantuntijan kanssa
---
Pitävätkö ihmiset siitä?|Onko peruukki ihmisen hiuksista?|Puhuin eilen työntekijän kanssa|Paljonko maksaa per henkilö?
Montako henkilöä mahtuu?|Haetteko työntekijöitä?|Puhun ensin vaimoni kanssa
Sopiiko se jollekin allergiselle?|En halua puhua ihmisen kanssa|Voiko kaiuttimen yhdistää puhelimeen?`,
  pl: `
Czy mogę z kimś porozmawiać?|Chcę rozmawiać z człowiekiem|Proszę połączyć mnie z konsultantem|człowiek proszę
Czy mogę porozmawiać z obsługą klienta?|Chcę prawdziwą osobę|Poproszę konsultanta
Chciałbym porozmawiać z kimś z Państwa zespołu|Czy jest tam jakiś żywy człowiek?|konsultant
Czy ktoś może do mnie zadzwonić?|Nie chcę bota, chcę rozmawiać z człowiekiem|dajcie mi człowieka
Potrzebuję rozmowy z pracownikiem|Jak skontaktować się z konsultantem?|przełącz mnie na konsultanta
Wolałabym rozmawiać z osobą|Czy mógłbym prosić o kontakt z doradcą?|rozmowa z konsultantem
Chcę rozmawiać z kierownikiem|połącz z człowiekiem|czat z pracownikiem
Czy człowiek może mi pomóc?|chce gadac z prawdziwym czlowiekiem|Proszę przekierować mnie do pracownika
To nic nie daje, chcę rozmawiać z kimś|kontakt z konsultantem|pomoc człowieka proszę
chce rozmawiac z konsultatem|Czy mogę prosić kogoś do rozmowy?
---
Czy ludzie to lubią?|Czy to peruka z ludzkich włosów?|Rozmawiałem wczoraj z pracownikiem|Ile kosztuje od osoby?
Ile osób się zmieści?|Czy szukacie pracowników?|Porozmawiam z żoną
Czy to dla kogoś z alergią?|Nie chcę rozmawiać z człowiekiem|Czy głośnik można połączyć z telefonem?`,
  cs: `
Můžu s někým mluvit?|Chci mluvit s člověkem|Spojte mě prosím s operátorem|člověka prosím
Mohl bych mluvit se zákaznickou podporou?|Chci skutečného člověka|Rád bych mluvil s vaším pracovníkem
Je tam někdo, s kým můžu mluvit?|Můžete mě přepojit na kolegu?|operátor prosím
Může mi někdo zavolat?|Nechci bota, chci mluvit s člověkem|dejte mi člověka
Potřebuji mluvit s konzultantem|Jak se spojím s operátorem?|přepojte mě na člověka
Je tam živý člověk?|Raději bych mluvila s osobou|chatovat s pracovníkem
Chci mluvit s vedoucím|spojit s operátorem|Zavolejte prosím kolegu
Může mi pomoct člověk?|chci si promluvit s opravdovým člověkem hned|Nechte mě mluvit s někým
K ničemu, chci mluvit s někým|kontakt na pracovníka|lidskou podporu prosím
chci mluvit s clovekm|Mohla bych hovořit s někým z vašeho týmu?
---
Mají to lidé rádi?|Je to paruka z lidských vlasů?|Včera jsem mluvil s kolegou|Kolik stojí na osobu?
Kolik osob se vejde?|Hledáte pracovníky?|Promluvím s manželkou
Hodí se pro někoho s alergií?|Nechci mluvit s člověkem|Lze reproduktor spojit s telefonem?`,
  ro: `
Pot vorbi cu cineva?|Vreau să vorbesc cu o persoană|Faceți-mi legătura cu un operator|om vă rog
Aș dori să vorbesc cu serviciul clienți|Vreau o persoană reală|Pot să discut cu un coleg de-al vostru?
Este cineva cu care pot vorbi?|Mă puteți pune în legătură cu un consultant?|operator vă rog
Poate să mă sune cineva?|Nu vreau un robot, vreau să vorbesc cu un om|dați-mi un om
Am nevoie de un operator uman|Cum pot contacta un agent?|transferați-mă la un coleg
E cineva real acolo?|Aș prefera să vorbesc cu o persoană|chat cu un operator
Vreau să vorbesc cu șeful|vorbesc cu un om?|Conectați-mă cu un reprezentant
Mă poate ajuta un om?|vreau sa vb cu o persoana reala acum|Lăsați-mă să vorbesc cu cineva
Nu ajută, vreau să vorbesc cu cineva|contact cu un angajat|ajutor uman vă rog
vreau sa vorbsc cu un operator|Ar fi posibil să vorbesc cu cineva din echipă?
---
Oamenilor le place?|E perucă din păr uman?|Am vorbit ieri cu un coleg|Cât costă de persoană?
Câte persoane încap?|Căutați angajați?|O să vorbesc cu soția
E potrivit pentru cineva cu alergii?|Nu vreau să vorbesc cu o persoană|Boxa se conectează cu telefonul?`,
  hu: `
Beszélhetek valakivel?|Szeretnék egy emberrel beszélni|Kapcsoljon egy ügyintézőt|embert kérek
Beszélhetnék az ügyfélszolgálattal?|Igazi embert akarok|Szeretnék egy munkatárssal beszélni
Van ott valaki, akivel beszélhetek?|Át tudna kapcsolni egy kollégához?|ügyintézőt kérek
Fel tudna hívni valaki?|Nem robotot akarok, emberrel akarok beszélni|adjanak egy embert
Szükségem van egy élő emberre|Hogyan érhetek el egy ügyintézőt?|kapcsoljon egy kollégát
Van ott egy igazi ember?|Inkább emberrel beszélnék|csevegés egy munkatárssal
A főnökkel szeretnék beszélni|beszélni akarok egy emberrel|Kérem, kapcsoljanak egy operátort
Segíthet nekem egy ember?|valódi emberrel akarok beszélni most|Hadd beszéljek valakivel
Ez nem segít, beszélni akarok valakivel|kapcsolat egy ügyintézővel|emberi segítséget kérek
szeretnek egy embrrel beszelni|Beszélhetnék egy tanácsadóval?
---
Szeretik az emberek?|Emberi hajból van a paróka?|Tegnap beszéltem egy munkatárssal|Mennyibe kerül személyenként?
Hány ember fér bele?|Keresnek munkatársat?|Megbeszélem a feleségemmel
Jó valakinek, aki allergiás?|Nem akarok emberrel beszélni|Össze lehet kapcsolni a telefonnal?`,
  tr: `
Biriyle konuşabilir miyim?|Bir insanla görüşmek istiyorum|Beni müşteri temsilcisine bağlayın|insan lütfen
Müşteri hizmetleriyle konuşmak istiyorum|Gerçek bir insan istiyorum|Bir yetkiliyle görüşebilir miyim?
Konuşabileceğim biri var mı?|Beni bir temsilciye aktarır mısınız?|temsilci lütfen
Biri beni arayabilir mi?|Robot değil, insanla konuşmak istiyorum|bana bir insan verin
Bir çalışanla konuşmam lazım|Müşteri temsilcisine nasıl ulaşırım?|operatöre bağla
Orada gerçek biri var mı?|Bir kişiyle konuşmayı tercih ederim|canlı destek
Müdürünüzle görüşmek istiyorum|insana bağlan|Lütfen beni bir arkadaşınıza yönlendirin
Bir insan bana yardım edebilir mi?|hemen gerçek bir kişiyle konuşmak istiyorum|Birisiyle konuşayım
Bu işe yaramıyor, birine bağlayın|yetkili biriyle görüşme|canlı temsilci
musteri temslicisiyle konusmak istiyorum|Ekibinizden biriyle görüşmem mümkün mü?
---
İnsanlar beğeniyor mu?|Peruk insan saçından mı?|Dün bir çalışanla konuştum|Kişi başı ne kadar?
Kaç kişi sığar?|Çalışan arıyor musunuz?|Eşimle konuşacağım
Alerjisi olan biri için uygun mu?|İnsanla konuşmak istemiyorum|Hoparlör telefona bağlanır mı?`,
  ru: `
Можно поговорить с кем-нибудь?|Хочу поговорить с человеком|Соедините меня с оператором|человека пожалуйста
Могу я поговорить со службой поддержки?|Мне нужен живой человек|Позовите сотрудника
Хотелось бы пообщаться с менеджером|Есть кто-нибудь, с кем можно поговорить?|оператор
Может мне кто-нибудь позвонить?|Не хочу бота, хочу говорить с человеком|дайте человека
Мне нужно поговорить с консультантом|Как связаться с оператором?|переключите на оператора
Там есть живой человек?|Предпочитаю общаться с человеком|чат с сотрудником
Хочу говорить с вашим начальником|переведи на человека|Не могли бы вы соединить меня со специалистом?
Может ли мне помочь человек?|хочу говорить с реальным человеком сейчас|Дайте поговорить с кем-то
Бесполезно, соедините с кем-нибудь|связь с оператором|живая поддержка пожалуйста
хочу погаварить с чиловеком|Можно попросить сотрудника ответить мне?
---
Людям нравится?|Это парик из человеческих волос?|Вчера я говорил с сотрудником|Сколько стоит на человека?
Сколько человек помещается?|Вы ищете сотрудников?|Я поговорю с женой
Подойдёт кому-то с аллергией?|Не хочу говорить с человеком|Можно соединить колонку с телефоном?`,
  uk: `
Можна поговорити з кимось?|Хочу поговорити з людиною|З'єднайте мене з оператором|людину будь ласка
Чи можу я поговорити зі службою підтримки?|Мені потрібна жива людина|Покличте працівника
Хотілося б поспілкуватися з менеджером|Є хтось, з ким можна поговорити?|оператор
Може мені хтось зателефонувати?|Не хочу бота, хочу говорити з людиною|дайте людину
Мені потрібно поговорити з консультантом|Як зв'язатися з оператором?|переключіть на оператора
Там є жива людина?|Волію спілкуватися з людиною|чат з працівником
Хочу говорити з вашим керівником|переведи на людину|Чи не могли б ви з'єднати мене зі спеціалістом?
Чи може мені допомогти людина?|хочу говорити зі справжньою людиною зараз|Дайте поговорити з кимось
Марно, з'єднайте з кимось|зв'язок з оператором|жива підтримка будь ласка
хочу поговорить з людиною|Можна попросити співробітника відповісти мені?
---
Людям подобається?|Це перука з людського волосся?|Вчора я говорив з працівником|Скільки коштує на людину?
Скільки людей поміщається?|Ви шукаєте працівників?|Я поговорю з дружиною
Підійде комусь з алергією?|Не хочу говорити з людиною|Чи можна з'єднати колонку з телефоном?`,
  el: `
Μπορώ να μιλήσω με κάποιον;|Θέλω να μιλήσω με άνθρωπο|Συνδέστε με με έναν εκπρόσωπο|άνθρωπο παρακαλώ
Μπορώ να μιλήσω με την εξυπηρέτηση πελατών;|Θέλω έναν πραγματικό άνθρωπο|Θα ήθελα να μιλήσω με υπάλληλο
Υπάρχει κάποιος να μιλήσω;|Μπορείτε να με συνδέσετε με έναν συνάδελφο;|εκπρόσωπος
Μπορεί κάποιος να με καλέσει;|Δεν θέλω ρομπότ, θέλω να μιλήσω με άνθρωπο|δώστε μου έναν άνθρωπο
Χρειάζομαι έναν άνθρωπο|Πώς επικοινωνώ με εκπρόσωπο;|σύνδεση με υπάλληλο
Υπάρχει πραγματικός άνθρωπος εκεί;|Προτιμώ να μιλήσω με άτομο|συνομιλία με εκπρόσωπο
Θέλω να μιλήσω με τον υπεύθυνο|μίλα με άνθρωπο|Παρακαλώ μεταφέρετέ με σε εκπρόσωπο
Μπορεί να με βοηθήσει άνθρωπος;|θέλω να μιλήσω με αληθινό άνθρωπο τώρα|Αφήστε με να μιλήσω σε κάποιον
Δεν βοηθάει, θέλω να μιλήσω με κάποιον|επικοινωνία με υπάλληλο|ανθρώπινη βοήθεια παρακαλώ
thelo na miliso me anthropo|Θα μπορούσα να συνομιλήσω με έναν σύμβουλο;
---
Αρέσει στον κόσμο;|Είναι περούκα από ανθρώπινα μαλλιά;|Μίλησα χθες με υπάλληλο|Πόσο κοστίζει το άτομο;
Πόσα άτομα χωράει;|Ζητάτε υπαλλήλους;|Θα μιλήσω με τη γυναίκα μου
Κάνει για κάποιον με αλλεργία;|Δεν θέλω να μιλήσω με άνθρωπο|Συνδέεται το ηχείο με το τηλέφωνο;`,
  ar: `
هل يمكنني التحدث مع شخص؟|أريد التحدث مع إنسان|حولني إلى موظف|موظف من فضلك
أريد التحدث مع خدمة العملاء|أريد شخصا حقيقيا|هل يمكنني التحدث إلى أحد؟
هل يوجد أحد أتكلم معه؟|هل يمكنك توصيلي بممثل خدمة العملاء؟|ممثل
هل يمكن لأحد الاتصال بي؟|لا أريد روبوتا، أريد أن أتحدث مع إنسان|أعطني إنسانا
أحتاج إلى موظف|كيف أتواصل مع موظف؟|حولوني لموظف
هل هناك شخص حقيقي؟|أفضل التحدث مع شخص|محادثة مع موظف
أريد التحدث مع المدير|اريد اكلم احد|لو سمحت وصلني بأحد الزملاء
هل يمكن لإنسان أن يساعدني؟|ابغى اكلم موظف|دعني أتحدث مع شخص ما
هذا لا يفيد، أريد الحديث مع شخص|التواصل مع موظف|مساعدة بشرية من فضلك
اريد التحدت مع موضف|هل من الممكن أن أتكلم مع أحد من فريقكم؟
---
هل يعجب الناس؟|هل الباروكة من شعر بشري؟|تحدثت أمس مع موظف|كم السعر للشخص؟
كم شخصا يتسع؟|هل تبحثون عن موظفين؟|سأتحدث مع زوجتي
هل يناسب شخصا لديه حساسية؟|لا أريد التحدث مع شخص|هل يمكن توصيل السماعة بالهاتف؟`,
  he: `
אפשר לדבר עם מישהו?|אני רוצה לדבר עם בן אדם|תעבירו אותי לנציג|נציג בבקשה
אני רוצה לדבר עם שירות הלקוחות|אני רוצה אדם אמיתי|אפשר לקבל נציג אנושי?
יש מישהו שאפשר לדבר איתו?|תוכלו לחבר אותי לנציג שירות?|נציג אנושי
מישהו יכול להתקשר אליי?|לא רוצה רובוט, רוצה לדבר עם אדם|תן לי בן אדם
אני צריך לדבר עם נציג|איך יוצרים קשר עם נציג?|תעביר אותי לעובד
יש שם בן אדם אמיתי?|אני מעדיפה לדבר עם אדם|צ'אט עם נציג
אני רוצה לדבר עם המנהל|חבר אותי לנציג|האם אוכל בבקשה לשוחח עם מישהו מהצוות?
בן אדם יכול לעזור לי?|רוצה לדבר עם אדם אמיתי עכשיו|תנו לי לדבר עם מישהו
זה לא עוזר, אני רוצה לדבר עם מישהו|ליצור קשר עם נציג|עזרה אנושית בבקשה
רוצה לדבר עם נצג|אשמח לדבר עם אחד העובדים
---
אנשים אוהבים את זה?|זו פאה משיער אנושי?|דיברתי אתמול עם נציג|כמה זה עולה לאדם?
כמה אנשים נכנסים?|אתם מחפשים עובדים?|אני אדבר עם אשתי
זה מתאים למישהו עם אלרגיה?|אני לא רוצה לדבר עם נציג|אפשר לחבר את הרמקול לטלפון?`,
  hi: `
क्या मैं किसी से बात कर सकता हूँ?|मुझे इंसान से बात करनी है|मुझे एजेंट से जोड़ें|इंसान चाहिए
मैं ग्राहक सेवा से बात करना चाहता हूँ|मुझे असली इंसान चाहिए|क्या मैं किसी प्रतिनिधि से बात कर सकती हूँ?
क्या कोई है जिससे मैं बात कर सकूँ?|कृपया मुझे किसी कर्मचारी से कनेक्ट करें|एजेंट
क्या कोई मुझे फोन कर सकता है?|बॉट नहीं, मुझे इंसान से बात करनी है|किसी इंसान को बुलाओ
मुझे किसी व्यक्ति की ज़रूरत है|प्रतिनिधि से कैसे संपर्क करूँ?|मुझे एजेंट को ट्रांसफर करो
क्या वहाँ कोई असली इंसान है?|मैं किसी व्यक्ति से बात करना पसंद करूँगा|कर्मचारी से चैट
मैं मैनेजर से बात करना चाहता हूँ|इंसान से बात कराओ|कृपया किसी अधिकारी से बात करवाइए
क्या कोई इंसान मेरी मदद कर सकता है?|अभी असली व्यक्ति से बात करनी है|मुझे किसी से बात करने दो
इससे मदद नहीं मिली, किसी से बात कराइए|सपोर्ट से बात करनी है|मानव सहायता चाहिए
mujhe insaan se baat karni hai|आपकी टीम में किसी से बात हो सकती है?
---
क्या लोगों को पसंद है?|क्या यह इंसानी बालों की विग है?|मैंने कल कर्मचारी से बात की थी|प्रति व्यक्ति कितना है?
कितने लोग आ सकते हैं?|क्या आपको कर्मचारी चाहिए?|मैं अपनी पत्नी से पूछूँगा
क्या यह एलर्जी वाले व्यक्ति के लिए ठीक है?|मुझे इंसान से बात नहीं करनी|क्या स्पीकर फोन से जुड़ता है?`,
  id: `
Bisa bicara dengan seseorang?|Saya mau bicara dengan manusia|Hubungkan saya dengan agen|manusia tolong
Saya ingin berbicara dengan layanan pelanggan|Saya mau orang asli|Bolehkah saya berbicara dengan petugas?
Ada orang yang bisa saya ajak bicara?|Tolong sambungkan saya ke staf|operator
Bisa ada yang menelepon saya?|Jangan robot, saya mau ngobrol dengan manusia|kasih saya orang beneran
Saya perlu bicara dengan perwakilan|Bagaimana menghubungi petugas?|alihkan ke agen
Apakah ada orang sungguhan di sana?|Saya lebih suka berbicara dengan orang|chat dengan admin
Saya ingin bicara dengan manajer|sambungkan ke manusia|Mohon dihubungkan dengan rekan Anda
Bisakah manusia membantu saya?|mau ngomong sama orang asli sekarang|Biarkan saya bicara dengan seseorang
Ini tidak membantu, saya mau bicara dengan orang|kontak dengan petugas|bantuan manusia
mau bcr dgn cs|Apakah mungkin berbincang dengan tim Anda?
---
Apakah orang suka?|Apakah ini wig rambut manusia?|Kemarin saya berbicara dengan petugas|Berapa harga per orang?
Muat berapa orang?|Apakah Anda mencari staf?|Saya akan bicara dengan istri saya
Cocok untuk seseorang dengan alergi?|Saya tidak mau bicara dengan manusia|Apakah speaker bisa disambungkan ke ponsel?`,
  th: `
ขอคุยกับคนได้ไหม|ฉันต้องการคุยกับเจ้าหน้าที่|ช่วยโอนสายไปหาพนักงาน|ขอเจ้าหน้าที่หน่อย
อยากคุยกับฝ่ายบริการลูกค้า|ขอคนจริงๆ|ขอสายเจ้าหน้าที่ได้ไหมคะ
มีใครให้คุยด้วยไหม|รบกวนช่วยติดต่อเจ้าหน้าที่ให้หน่อยครับ|เจ้าหน้าที่
มีใครโทรหาฉันได้ไหม|ไม่เอาบอท อยากคุยกับคน|เรียกพนักงานมา
ต้องการความช่วยเหลือจากคน|ติดต่อเจ้าหน้าที่ยังไง|โอนไปหาแอดมิน
มีคนจริงๆอยู่ไหม|อยากพูดกับคนมากกว่า|แชทกับพนักงาน
ขอคุยกับผู้จัดการ|คุยกับแอดมิน|กรุณาต่อสายให้พนักงานด้วยค่ะ
มีเจ้าหน้าที่ช่วยฉันได้ไหม|อยากคุยกับคนจริงเดี๋ยวนี้|ให้ฉันคุยกับใครสักคน
ไม่ได้เรื่องเลย ขอคุยกับคน|ขอติดต่อพนักงาน|อยากสนทนากับเจ้าหน้าที่
ยากคุยกับเจ้าหน้าที|ขออนุญาตพูดคุยกับทีมงานได้ไหมครับ
---
คนชอบไหม|วิกนี้ทำจากผมคนจริงไหม|เมื่อวานคุยกับพนักงานแล้ว|ราคาต่อคนเท่าไหร่
นั่งได้กี่คน|รับสมัครพนักงานไหม|เดี๋ยวคุยกับภรรยาก่อน
เหมาะกับคนแพ้ง่ายไหม|ไม่อยากคุยกับคน|ลำโพงต่อกับโทรศัพท์ได้ไหม`,
  vi: `
Tôi có thể nói chuyện với ai đó không?|Tôi muốn nói chuyện với người thật|Kết nối tôi với nhân viên|gặp nhân viên
Cho tôi gặp bộ phận chăm sóc khách hàng|Tôi cần người thật|Tôi có thể gặp nhân viên tư vấn được không?
Có ai để tôi nói chuyện không?|Vui lòng chuyển tôi đến nhân viên hỗ trợ|nhân viên
Có ai gọi lại cho tôi được không?|Không muốn robot, tôi muốn nói chuyện với con người|cho tôi gặp người
Tôi cần nói chuyện với tư vấn viên|Làm sao liên hệ với nhân viên?|chuyển cho tổng đài viên
Có người thật ở đó không?|Tôi thích nói chuyện với người hơn|chat với nhân viên
Tôi muốn gặp quản lý|nối máy với nhân viên|Xin phép cho tôi trao đổi với nhân viên ạ
Có người nào giúp tôi được không?|muốn nc với người thật ngay|Để tôi nói chuyện với ai đó
Vô ích, cho tôi gặp ai đó|liên lạc với nhân viên|cần người hỗ trợ
muon noi chuyen voi nhan vien|Tôi xin được trò chuyện với người của công ty
---
Mọi người có thích không?|Đây có phải tóc giả bằng tóc người không?|Hôm qua tôi đã nói chuyện với nhân viên
Giá mỗi người bao nhiêu?|Chứa được mấy người?|Có tuyển nhân viên không?|Tôi sẽ hỏi vợ tôi
Có hợp với người bị dị ứng không?|Tôi không muốn nói chuyện với người|Loa kết nối với điện thoại được không?`,
  zh: `
我可以和人说话吗？|我想找人工客服|请帮我转接客服|转人工
我要跟真人聊|我想和你们的工作人员谈谈|能不能让真人回复我？
有没有人可以帮我？|麻烦帮我联系一下客服人员|人工
可以给我打个电话吗，找个人|不要机器人，我要真人|叫个人来
我需要人工服务|怎么联系人工客服？|请转接专员
那边是真人吗？|我更想跟人沟通|和客服聊天
我要找你们经理|人工客服在哪|请问能否与客服代表通话？
有真人能帮我吗|现在就要和真人说话|让我跟人说话
没用，给我转人工|联系客服|找个活人
我想跟客服說話|可以请一位同事来跟我沟通吗？
---
大家喜欢吗？|这是真人头发的假发吗？|我昨天和客服说过了|每人多少钱？
可以坐几个人？|你们招工作人员吗？|我跟老婆商量一下
过敏的人可以用吗？|我不想和人说话|音箱可以连接手机吗？`,
  ja: `
人と話せますか？|担当者と話したいです|オペレーターにつないでください|有人対応をお願いします
カスタマーサポートと話したい|本物の人間と話したい|スタッフの方とお話しできますか
誰か話せる人はいますか|恐れ入りますが、担当の方におつなぎいただけますか？|オペレーター
誰か電話をくれませんか|ボットじゃなくて人と話したい|人を出して
人間の対応が必要です|担当者に連絡するにはどうすればいいですか|担当者に代わって
そこに本当の人はいますか？|人に相談したい|スタッフとチャットしたい
責任者と話がしたい|人間につないで|担当者をお願いします
誰か人が助けてくれますか|今すぐ人間と話させて|社員の方に取り次いでいただけますでしょうか
役に立たない。人に代わって|オペレータに繋いで|サポート担当と直接やりとりしたい
たんとうしゃとはなしたい|御社の方と直接お話ししたいのですが
---
人気がありますか？|人毛のウィッグですか？|昨日担当者と話しました|一人いくらですか？
何人座れますか？|スタッフを募集していますか？|妻と話してから決めます
アレルギーの人でも使えますか？|人と話したくない|スピーカーは電話につながりますか？`,
  ko: `
사람과 이야기하고 싶어요|상담원 연결해 주세요|직원과 통화할 수 있을까요?|상담원 부탁해요
고객센터랑 얘기하고 싶어요|진짜 사람을 원해요|담당자와 대화하고 싶습니다
얘기할 수 있는 분 계신가요?|실례지만 담당자분께 연결해 주실 수 있나요?|상담원
누가 전화 좀 주실 수 있나요?|봇 말고 사람이랑 말하고 싶어요|사람 불러줘
상담사가 필요해요|상담원과 어떻게 연락하나요?|직원에게 넘겨주세요
거기 진짜 사람 있어요?|사람과 상담하고 싶어요|직원이랑 채팅할래요
책임자와 통화하고 싶어요|사람 연결|상담 직원으로 바꿔 주세요
사람이 도와줄 수 있나요?|지금 당장 진짜 사람하고 얘기할래요|누군가와 이야기하게 해 주세요
소용없네요 상담원 바꿔주세요|상담원 연결 방법|사람 상담 원해요
상담언 연결해줘|혹시 직원분과 말씀 나눌 수 있을까요?
---
사람들이 좋아하나요?|사람 머리카락 가발인가요?|어제 직원과 통화했어요|한 사람당 얼마예요?
몇 사람 앉을 수 있어요?|직원 모집하나요?|아내와 이야기해 볼게요
알레르기 있는 사람도 써도 되나요?|사람과 이야기하고 싶지 않아요|스피커를 휴대폰에 연결할 수 있나요?`
}

/** Written after the patterns: rarer wordings, and questions to shops that contain such words. */
const FURTHER = {
  en: `
I've been going round in circles with you, please let somebody real take over|Who can I speak to about this?
pls get a human on here|any chance I could talk to one of your team?|put me on to someone
I demand to speak to the boss|stop. human. now.|Is this a bot? I'd like to be helped by a person
---
Can two people share a room?|Do you support human rights?|I want a person-sized pillow
Is there someone at the reception at night?|Do I need to contact my bank?
The agent at the airport told me to ask you|Can I get my money back from an agent?|Is support included in the price?
How do I reach you by bus?|I need a new operator licence`,
  de: `
Ich komme so nicht weiter, bitte geben Sie mir einen Menschen|An wen kann ich mich persönlich wenden?
kannst du mich mal mit jemandem verbinden der sich auskennt|Ich hätte da lieber eine echte Person
Bitte um Rückruf durch einen Mitarbeiter|bot nein danke, mensch!
Wäre es möglich, mit jemandem aus Ihrem Team zu sprechen?|wo ist hier ein mensch
---
Ist nachts jemand an der Rezeption?|Wie erreiche ich Sie mit dem Bus?|Kann ich zu zweit kommen?
Gibt es einen Mengenrabatt pro Person?|Ich brauche ein Geschenk für meinen Chef|Kann ich mit Karte zahlen?
Mein Kollege hat die Tasse zerbrochen|Was sagt die Beratung zu Wolle?|Ich möchte für vier Personen buchen
Kann jemand mit Rollstuhl hinein?`,
  fr: `
J'en ai assez, je veux quelqu'un de réel|Serait-il possible de parler à un de vos collègues ?
passez moi un humain tout de suite|Je désire m'entretenir avec un responsable
vous pouvez me transférer à une vraie personne ?|un humain peut me répondre ?
je voudrais avoir un conseiller au bout du fil|arrêtez le bot, un agent svp
---
Y a-t-il quelqu'un à la réception la nuit ?|Je voudrais réserver pour deux personnes
Comment vous contacter par courrier ?|Mon collègue a cassé la tasse|Quel est le prix par personne ?
Faut-il appeler avant de venir ?|Un cadeau pour mon patron|Le conseil est-il gratuit ?
Une personne en fauteuil peut-elle entrer ?|Je cherche un cadeau pour une personne âgée`,
  es: `
Estoy harto, quiero que me atienda alguien de carne y hueso|¿Con quién puedo hablar?|pasame ya con un humano
¿Sería tan amable de comunicarme con un encargado?|necesito que una persona me conteste
puedo hablar con una persona y no con un bot?|quiero atención humana|Ponme con alguien
---
¿Hay alguien en recepción por la noche?|Quiero una mesa para dos personas|Necesito un regalo para mi jefe
¿Cuál es el precio por persona?|¿Puede entrar una persona en silla de ruedas?|¿Hablan inglés?
Busco algo para una persona mayor|¿Dan servicio técnico?|¿Cómo contacto con la tienda?|Mi compañero rompió la taza`,
  nl: `
Ik kom er niet uit, kan ik een echt persoon spreken?|Met wie kan ik praten?|wil een mens aan de lijn
Zou u mij in contact kunnen brengen met een collega?|ik wil niet met een bot praten maar met een mens
stuur me door naar een medewerker|mag ik een medewerker aub|Ik heb liever een mens
---
Is er 's nachts iemand aan de receptie?|Ik wil boeken voor vier personen|Ik zoek een cadeau voor mijn baas
Kan iemand in een rolstoel naar binnen?|Wat is de prijs per persoon?|Spreken jullie Engels?
Mijn collega heeft de mok gebroken|Hoe bereik ik jullie met de bus?|Is de koffie voor mensen met een allergie?
Mag ik mijn hond meenemen?`,
  it: `
Basta bot, passatemi una persona|Con chi posso parlare?
Mi metta in contatto con qualcuno del vostro negozio, per favore|voglio un operatore in carne e ossa
posso avere un umano?|vorrei essere richiamato da un operatore|Gradirei conversare con un responsabile
c'è un operatore disponibile?
---
C'è qualcuno alla reception di notte?|Vorrei prenotare per quattro persone|Cerco un regalo per il mio capo
Parlate inglese?|Qual è il prezzo a persona?|Il mio collega ha rotto la tazza|Una persona in carrozzina può entrare?
Come vi contatto?|Posso chiamare prima?|C'è uno sconto per i dipendenti?`,
  pl: `
Mam dość bota, poproszę żywego człowieka|Z kim mogę porozmawiać?|przełączcie mnie do konsultanta natychmiast
Czy mógłbym rozmawiać z kimś kompetentnym?|chcę gadać z człowiekiem a nie z maszyną|prosze o kontakt z pracownikiem
Jest tam ktoś żywy?|Zależy mi na rozmowie z doradcą
---
Czy w nocy ktoś jest w recepcji?|Chcę zarezerwować dla czterech osób|Szukam prezentu dla szefa
Czy mówicie po angielsku?|Jaka jest cena za osobę?|Kolega stłukł kubek|Czy osoba na wózku może wejść?
Potrzebuję prezentu dla jednej osoby|Czy jest zniżka dla pracowników?|Jak do was dojechać?`,
  ru: `
Надоел бот, дайте живого человека|С кем я могу поговорить?|переключите меня на живого оператора|Можно мне менеджера?
хочу чтобы мне ответил человек|Будьте добры, соедините с сотрудником|мне нужен оператор срочно|есть кто живой?
---
Ночью на ресепшене кто-нибудь есть?|Хочу забронировать на четырёх человек|Ищу подарок для начальника
Говорите ли вы по-английски?|Какая цена на одного человека?|Мой коллега разбил кружку
Может ли войти человек на коляске?|Нужна скидка для сотрудников|Как до вас доехать?|Можно с собакой?`,
  tr: `
Botla uğraşmak istemiyorum, gerçek biriyle görüşeyim|Kiminle konuşabilirim?|beni hemen bir insana bağla
Rica etsem bir yetkiliye aktarır mısınız?|müşteri temsilcisi istiyorum|canlı biriyle yazışmak istiyorum
orada kimse yok mu|İnsan desteği alabilir miyim?
---
Gece resepsiyonda biri var mı?|Dört kişi için yer ayırtmak istiyorum|Müdürüm için hediye arıyorum
İngilizce konuşuyor musunuz?|Kişi başı fiyat nedir?|Arkadaşım bardağı kırdı|Tekerlekli sandalyeli biri girebilir mi?
Size nasıl ulaşırım?|Çalışan indirimi var mı?|Kaç kişi çalışıyor?`,
  ja: `
もういい、人間に代わってください|どなたとお話しできますか|担当の者をお願いできますか|オペレーターと話させて|直接スタッフに聞きたいのですが|人間のオペレーター希望|電話で担当者と相談したいです|ボットではなく人に対応してほしい
---
夜は受付に人がいますか|四人で予約したいです|上司への贈り物を探しています|英語は話せますか|一人当たりの値段は？|車椅子の人は入れますか|友人と話して決めます|人気の商品は？|スタッフの制服は売っていますか|どうやって連絡しますか`,
  zh: `
别用机器人糊弄我，叫真人来|我能跟谁谈？|请安排一位客服跟我联系|想和真人客服沟通|接人工|给我找你们负责人|麻烦转一下人工客服，谢谢|不想跟机器人聊，要人工
---
晚上前台有人吗？|我想订四个人的位子|想给老板买礼物|会说英语吗？|每个人多少钱？|坐轮椅的人可以进吗？|有人用过吗？|员工有折扣吗？|怎么联系店里？|人多吗？`,
  pt: `
Estou farto, quero alguém de verdade|Com quem posso falar?|me passa pra um humano agora
Seria possível ser contactado por um colaborador?|quero falar c alguem|preciso de um atendente humano
chega de robô, pessoa por favor|Poderia me transferir para o setor com uma pessoa?
---
`,
  sv: `
Jag är trött på botten, ge mig en riktig person|Vem kan jag prata med?|koppla mig till nån
Skulle ni kunna be någon ringa mig?|vill ha kontakt med en människa|får jag snacka med en anställd
personlig hjälp av en medarbetare tack|kan jag få tala med en ansvarig
---
`
}

/** The sentences of a language: those that want a human being, and those that do not. */
export interface Wordings { wanting: string[], others: string[] }

const wordingsOf = (lists: Record<string, string>) => new Map<string, Wordings>(
  Object.entries(lists).map(([language, all]) => {
    const [wanting, others] = all.split('\n---\n').map((part) => part.split(/[|\n]/).filter(Boolean))
    return [language, { wanting: wanting!, others: others! }]
  })
)

/** By language, ISO 639-1. */
export const WORDINGS = wordingsOf(SENTENCES)
export const FURTHER_WORDINGS = wordingsOf(FURTHER)
export const CALLED = wordingsOf(CALLING)
