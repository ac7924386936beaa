/**
 * Sixty questions a language, of about six words, as they are typed to all kinds of places: dentists, bicycle hires,
 * libraries, town halls, plumbers, gyms. Every second one (the odd indexes, from 0) was held out from the tables.
 */
const QUESTIONS = {
  es: `
¿Atienden urgencias los fines de semana?|cuanto cuesta una limpieza dental aqui|¿Puedo alquilar una bicicleta por horas?|necesito renovar mi carné de biblioteca
¿El gimnasio tiene piscina climatizada cubierta?|donde entrego los papeles del padrón|¿Arreglan grifos que gotean en casa?|se me ha roto una muela
¿Cuántas personas caben en la sala?|que documentos hacen falta para inscribirse|¿Hay descuento para estudiantes y jubilados?|el casco va incluido en el alquiler
¿Tengo que pedir cita con antelación?|me pueden llamar mañana por la tarde|¿Cuándo empieza el próximo curso intensivo?|la calefacción no calienta desde ayer
¿Puede venir mi hijo conmigo también?|hasta que hora se puede entrar|¿Aceptan el seguro de mi empresa?|quiero hablar sobre una factura equivocada
¿Venden entradas en la misma puerta?|como llego desde la estación central|¿Sirven comida sin gluten los lunes?|perdí las llaves del candado ayer
¿Qué pasa si llueve ese día?|cual es el plazo para reclamar|¿Hacéis presupuestos sin ningún compromiso?|puedo dejar aquí mi maleta grande
¿Está permitido sacar fotos dentro?|necesito un justificante de la visita|¿Tenéis sillas para niños pequeños?|cuanto tiempo dura la revisión anual
¿Ponen anestesia para ese tratamiento dental?|a partir de qué edad pueden venir|¿Me devuelven el dinero si cancelo?|quien es el responsable del taller
¿Existe una tarifa para familias numerosas?|puedo renovar los libros por teléfono|¿Recogen muebles viejos a domicilio gratis?|no recibí el correo de confirmación
¿Es seguro aparcar en esa calle?|mi bici tiene una rueda pinchada|¿Qué ropa debo llevar para empezar?|tengo alergia a los frutos secos
¿Cuánto vale el abono de diez viajes?|hay ascensor para subir al segundo|¿Podemos cambiar la hora del taller?|queremos celebrar un cumpleaños allí dentro
¿Duele mucho esa clase de tratamiento?|los perros pueden entrar con correa|¿Trabajáis con piezas de segunda mano?|mandan el presupuesto por correo electrónico
¿Desde cuándo está cerrada esa carretera?|se puede probar antes de comprar|¿Dónde tiro las pilas ya gastadas?|tienen wifi en la sala de espera
¿Quién me puede firmar este formulario?|hace falta saber nadar muy bien|¿Con cuánta antelación debo avisar?|mi tarjeta de socio ya caducó`,
  pt: `
Atendem urgências ao fim de semana?|quanto custa uma limpeza aos dentes|Posso alugar uma bicicleta à hora?|preciso de renovar o cartão da biblioteca
O ginásio tem piscina interior aquecida?|onde entrego os papéis da matrícula|Arranjam torneiras que pingam em casa?|parti um dente a comer
Quantas pessoas cabem na vossa sala?|que documentos são precisos para inscrição|Há desconto para estudantes e reformados?|o capacete está incluído no aluguer
Tenho de marcar com alguma antecedência?|podem ligar-me amanhã à tarde|Quando começa o próximo curso intensivo?|o aquecimento não funciona desde ontem
O meu filho pode vir comigo?|ate que horas se pode entrar|Aceitam o seguro da minha empresa?|quero falar sobre uma fatura errada
Vendem bilhetes logo ali à porta?|como chego desde a estação central|Servem comida sem glúten à segunda?|perdi as chaves do cadeado ontem
O que acontece se chover muito?|qual é o prazo para reclamar|Fazem orçamentos sem qualquer compromisso?|posso deixar aí a minha mala
É permitido tirar fotografias lá dentro?|preciso de um comprovativo da consulta|Têm cadeirinhas para crianças mais pequenas?|quanto tempo dura a revisão anual
Dão anestesia para esse tratamento dentário?|a partir de que idade podem participar|Devolvem o dinheiro se eu cancelar?|quem é o responsável pela oficina
Existe uma tarifa para famílias numerosas?|posso renovar os livros por telefone|Recolhem móveis velhos ao domicílio gratuitamente?|não recebi o email de confirmação
É seguro estacionar nessa rua?|a minha bicicleta tem um furo|Que roupa devo levar para começar?|tenho alergia aos frutos secos
Quanto custa o passe de dez viagens?|tem elevador para o segundo andar|Podemos mudar a hora da aula?|queremos festejar lá um aniversário
Esse tratamento costuma doer muito?|os cães podem entrar com trela|Trabalham com peças em segunda mão?|mandam o orçamento por correio eletrónico
Desde quando está fechada a estrada?|da para experimentar antes de comprar|Onde deito fora as pilhas gastas?|vocês têm wifi na sala de espera
Quem me pode assinar este formulário?|é preciso saber nadar muito bem|Com quanta antecedência devo avisar?|o meu cartão de sócio caducou`,
  it: `
Siete aperti nel fine settimana?|quanto costa una pulizia dei denti|Posso noleggiare una bici a ore?|devo rinnovare la tessera della biblioteca
La palestra ha una piscina coperta?|dove consegno i documenti della residenza|Riparate rubinetti che perdono a casa?|mi si è rotto un dente
Quante persone entrano nella vostra sala?|che documenti servono per iscriversi qui|C'è uno sconto per gli studenti?|il casco è compreso nel noleggio
Bisogna prendere appuntamento molto prima?|potete chiamarmi domani nel pomeriggio|Quando comincia il prossimo corso intensivo?|il riscaldamento non va da ieri
Mio figlio può venire con me?|fino a che ora si entra|Accettate l'assicurazione della mia azienda?|vorrei parlare di una fattura sbagliata
Vendete i biglietti anche alla porta?|come arrivo dalla stazione centrale|Fate cibo senza glutine il lunedì?|ho perso le chiavi del lucchetto
Che cosa succede se dovesse piovere?|qual e il termine per reclamare|Fate preventivi senza alcun impegno?|posso lasciare qui la valigia grande
È permesso fare foto all'interno?|mi serve un certificato della visita|Avete i seggiolini per i bambini?|quanto dura il controllo annuale
Fate l'anestesia per quel trattamento?|da che età si può partecipare|Mi rimborsate se devo disdire?|chi è il responsabile dell'officina
Esiste una tariffa per le famiglie?|posso rinnovare i libri per telefono|Ritirate mobili vecchi a domicilio gratis?|non ho ricevuto la mail di conferma
È sicuro parcheggiare in quella via?|la mia bici ha una gomma bucata|Che vestiti devo portare per iniziare?|sono allergico alla frutta secca
Quanto viene l'abbonamento da dieci ingressi?|c'è l'ascensore per il secondo piano|Possiamo spostare l'orario della lezione?|vogliamo festeggiare lì un compleanno
Fa male quel tipo di cura?|i cani possono entrare al guinzaglio|Lavorate con pezzi di seconda mano?|mandate il preventivo per posta elettronica
Da quando è chiusa quella strada?|si puo provare prima di comprare|Dove butto le pile ormai scariche?|avete il wifi in sala d'attesa
Chi può firmarmi questo modulo qui?|bisogna saper nuotare molto bene|Con quanto anticipo devo avvisare?|la mia tessera socio è scaduta`,
  ro: `
Sunteți deschiși și la sfârșit de săptămână?|cat costa un detartraj la voi|Pot închiria o bicicletă cu ora?|trebuie să reînnoiesc permisul de bibliotecă
Sala are și piscină acoperită încălzită?|unde depun actele pentru înscriere|Reparați robinete care curg la domiciliu?|mi s-a rupt un dinte aseară
Câte persoane încap în sala voastră?|ce acte sunt necesare pentru inscriere|Există reducere pentru studenți și pensionari?|casca este inclusă în preț
Trebuie să fac programare din timp?|ma puteti suna maine dupa masa|Când începe următorul curs intensiv?|căldura nu merge de ieri
Poate veni și copilul cu mine?|pana la ce ora se intra|Acceptați asigurarea de la firma mea?|vreau să vorbesc despre o factură greșită
Vindeți bilete și la intrare?|cum ajung de la gara centrala|Aveți mâncare fără gluten luni?|am pierdut cheile de la lacăt
Ce se întâmplă dacă plouă atunci?|care este termenul pentru reclamatii|Faceți devize fără nicio obligație?|pot lăsa aici bagajul meu mare
Este voie să fac poze înăuntru?|am nevoie de o adeverinta medicala|Aveți scaune pentru copii mai mici?|cât durează controlul anual la dentist
Faceți anestezie pentru tratamentul acela?|de la ce varsta se poate veni|Îmi dați banii înapoi dacă anulez?|cine este responsabilul atelierului vostru
Există un tarif pentru familii mari?|pot prelungi cartile prin telefon|Ridicați mobilă veche de la domiciliu?|nu am primit mailul de confirmare
E sigur să parchez pe strada aceea?|bicicleta mea are o pana|Ce haine trebuie să aduc prima dată?|sunt alergic la nuci și alune
Cât face abonamentul de zece intrări?|este lift pana la etajul doi|Putem muta ora lecției de mâine?|vrem să sărbătorim acolo o zi
Doare tare acest fel de tratament?|cainii pot intra in lesa|Lucrați cu piese la mâna a doua?|trimiteți devizul prin poșta electronică
De când este închis drumul acela?|se poate proba inainte de cumparare|Unde arunc bateriile deja consumate?|aveți wifi în sala de așteptare
Cine îmi poate semna acest formular?|trebuie să știu să înot bine|Cu cât timp înainte să anunț?|cardul meu de membru a expirat`,
  tr: `
Hafta sonları da açık mısınız acaba?|dis temizligi ne kadar tutuyor sizde|Saatlik bisiklet kiralayabilir miyim sizden?|kütüphane kartımı yenilemem gerekiyor bugün
Spor salonunda kapalı havuz var mı?|kayıt evraklarını nereye teslim edeceğim|Evde damlayan muslukları tamir ediyor musunuz?|dün akşam dişim kırıldı çok ağrıyor
Salonunuza kaç kişi sığıyor en fazla?|kayit icin hangi belgeler lazim|Öğrencilere ve emeklilere indirim var mı?|kask kiralama ücretine dahil mi acaba
Önceden randevu almam gerekiyor mu?|yarin ogleden sonra beni arar misiniz|Sonraki yoğun kurs ne zaman başlıyor?|kalorifer dünden beri hiç ısıtmıyor
Oğlum da benimle birlikte gelebilir mi?|saat kaca kadar giris yapilabiliyor|Şirketimin sağlık sigortasını kabul ediyor musunuz?|yanlış bir fatura hakkında konuşmak istiyorum
Kapıda da bilet satıyor musunuz?|merkez gardan oraya nasil gelirim|Pazartesileri glutensiz yemek veriyor musunuz?|dün kilidin anahtarlarını kaybettim
O gün yağmur yağarsa ne olur?|sikayet icin son tarih ne zaman|Ücretsiz fiyat teklifi veriyor musunuz?|büyük valizimi buraya bırakabilir miyim
İçeride fotoğraf çekmek serbest mi?|muayene icin bir belge lazim bana|Küçük çocuklar için koltuğunuz var mı?|yıllık kontrol ne kadar sürüyor
O tedavi için anestezi yapıyor musunuz?|kac yasindan itibaren katilabiliyorlar buraya|İptal edersem param geri ödenir mi?|atölyeden kim sorumlu öğrenebilir miyim
Kalabalık aileler için tarifeniz var mı?|kitaplari telefonla uzatabilir miyim ben|Eski mobilyaları evden ücretsiz alıyor musunuz?|onay e-postası bana hiç gelmedi
O sokağa park etmek güvenli mi?|bisikletimin lastigi patladi ne yapayim|Başlamak için ne giymem gerekiyor?|kuruyemişlere karşı alerjim var benim
On girişlik abonman ne kadar acaba?|ikinci kata asansor var mi orada|Dersin saatini değiştirebilir miyiz acaba?|orada doğum günü kutlamak istiyoruz
Bu tür tedavi çok acıtıyor mu?|kopekler tasmayla iceri girebilir mi|İkinci el parçalarla çalışıyor musunuz?|teklifi e-posta ile gönderiyor musunuz
O yol ne zamandan beri kapalı?|almadan once denemek mumkun mu acaba|Bitmiş pilleri nereye atmam gerekiyor?|bekleme odasında internet var mı
Bu formu bana kim imzalayabilir?|cok iyi yuzme bilmek sart mi|Ne kadar önceden haber vermem gerekiyor?|üyelik kartımın süresi geçen ay doldu`,
  no: `
Har dere åpent i helgene også?|hva koster en tannrens hos dere|Kan jeg leie sykkel per time?|jeg må fornye lånekortet mitt nå
Har treningssenteret et innendørs svømmebasseng?|hvor leverer jeg papirene for påmelding|Reparerer dere kraner som drypper hjemme?|jeg knakk en tann i går
Hvor mange får plass i salen?|hvilke papirer trengs for aa melde seg|Er det rabatt for studenter her?|er hjelmen med i prisen
Må jeg bestille time på forhånd?|kan dere ringe meg i morgen|Når starter neste intensive kurs?|varmen har ikke virket siden i går
Kan sønnen min bli med også?|hvor sent kan man komme inn|Godtar dere forsikringen fra jobben min?|jeg vil snakke om en feil faktura
Selger dere billetter i døra også?|hvordan kommer jeg meg fra stasjonen|Har dere glutenfri mat på mandager?|jeg mistet nøklene til låsen
Hva skjer hvis det regner da?|hva er fristen for aa klage|Gir dere et uforpliktende pristilbud?|kan jeg sette igjen kofferten her
Er det lov å ta bilder der?|jeg trenger en bekreftelse fra besøket|Har dere stoler til små barn?|hvor lenge varer den årlige kontrollen
Får man bedøvelse til den behandlingen?|fra hvilken alder kan man delta|Får jeg pengene igjen ved avbestilling?|hvem er ansvarlig for verkstedet deres
Finnes det en pris for familier?|kan jeg forlenge bøkene på telefon|Henter dere gamle møbler gratis hjemme?|jeg fikk aldri noen bekreftelse på mail
Er det trygt å parkere i gata?|sykkelen min har punktert igjen|Hvilke klær må jeg ha med?|jeg er allergisk mot alle nøtter
Hva koster klippekortet med ti turer?|er det heis opp til andre etasje|Kan vi flytte tidspunktet for timen?|vi vil feire bursdag hos dere
Gjør den slags behandling veldig vondt?|kan hunder komme inn i bånd|Bruker dere brukte deler i verkstedet?|sender dere tilbudet på e-post da
Hvor lenge har veien vært stengt?|kan man prove for man kjoper|Hvor kaster jeg de gamle batteriene?|har dere nett på venterommet
Hvem kan skrive under dette skjemaet?|må man kunne svømme veldig godt|Hvor tidlig må jeg gi beskjed?|medlemskortet mitt har gått ut`,
  pl: `
Czy macie otwarte także w weekendy?|ile u was kosztuje czyszczenie zebow|Czy mogę wypożyczyć rower na godziny?|muszę przedłużyć kartę do biblioteki
Czy siłownia ma kryty basen?|gdzie mam złożyć dokumenty do zapisu|Naprawiacie cieknące krany w domu?|wczoraj złamał mi się ząb
Ile osób zmieści się w sali?|jakie dokumenty sa potrzebne do zapisu|Czy jest zniżka dla studentów i emerytów?|czy kask jest w cenie wypożyczenia
Czy muszę umówić się wcześniej?|czy mozecie zadzwonic do mnie jutro|Kiedy zaczyna się następny kurs intensywny?|ogrzewanie nie działa od wczoraj
Czy mój syn może przyjść ze mną?|do ktorej godziny mozna wejsc|Czy przyjmujecie ubezpieczenie z mojej firmy?|chcę porozmawiać o błędnej fakturze
Sprzedajecie bilety również przy wejściu?|jak dojechac z dworca glownego|Macie jedzenie bez glutenu w poniedziałki?|zgubiłem wczoraj klucze do kłódki
Co będzie, jeśli spadnie deszcz?|jaki jest termin na reklamacje|Robicie wyceny bez żadnych zobowiązań?|czy mogę zostawić tu walizkę
Czy wolno robić zdjęcia w środku?|potrzebuje zaswiadczenia o wizycie|Macie foteliki dla małych dzieci?|jak długo trwa coroczny przegląd
Czy dajecie znieczulenie do tego zabiegu?|od jakiego wieku mozna przyjsc|Czy oddajecie pieniądze, jeśli odwołam?|kto odpowiada u was za warsztat
Czy jest taryfa dla dużych rodzin?|czy moge przedluzyc ksiazki przez telefon|Odbieracie stare meble z domu?|nie dostałem maila z potwierdzeniem
Czy na tej ulicy można bezpiecznie parkować?|moj rower ma przebita opone|Jakie ubranie mam zabrać na początek?|mam uczulenie na wszystkie orzechy
Ile kosztuje karnet na dziesięć wejść?|czy jest winda na drugie pietro|Możemy przesunąć godzinę tych zajęć?|chcemy u was zorganizować urodziny
Czy taki zabieg bardzo boli?|czy psy moga wejsc na smyczy|Używacie części z drugiej ręki?|czy wysyłacie wycenę pocztą elektroniczną
Od kiedy ta droga jest zamknięta?|czy mozna wyprobowac przed zakupem|Gdzie wyrzucić zużyte już baterie?|macie wifi w poczekalni dla pacjentów
Kto może podpisać mi ten formularz?|czy trzeba bardzo dobrze plywac|Z jakim wyprzedzeniem mam dać znać?|moja karta członkowska straciła ważność`,
  nl: `
Zijn jullie in het weekend open?|wat kost een gebitsreiniging bij jullie|Kan ik een fiets per uur huren?|ik moet mijn bibliotheekpas verlengen
Heeft de sportschool een overdekt zwembad?|waar lever ik de papieren in|Repareren jullie lekkende kranen aan huis?|ik heb gisteren een tand gebroken
Hoeveel mensen passen er in de zaal?|welke papieren heb ik daarvoor nodig|Is er korting voor studenten en ouderen?|zit de helm bij de prijs in
Moet ik van tevoren een afspraak maken?|kunnen jullie mij morgenmiddag bellen|Wanneer begint de volgende intensieve cursus?|de verwarming doet het sinds gisteren niet
Mag mijn zoon ook met me mee?|tot hoe laat mag je naar binnen|Accepteren jullie de verzekering van mijn werk?|ik wil praten over een foute rekening
Verkopen jullie ook kaartjes aan de deur?|hoe kom ik er vanaf het station|Hebben jullie maandag ook glutenvrij eten?|ik ben de sleutels van het slot kwijt
Wat gebeurt er als het regent?|wat is de termijn voor een klacht|Maken jullie een offerte zonder verplichting?|kan ik hier mijn koffer laten staan
Mag je binnen ook foto's maken?|ik heb een bewijs van het bezoek nodig|Hebben jullie stoeltjes voor kleine kinderen?|hoe lang duurt de jaarlijkse controle
Krijg je verdoving bij die behandeling?|vanaf welke leeftijd mag je meedoen|Krijg ik geld terug als ik afzeg?|wie gaat er over de werkplaats
Bestaat er een tarief voor gezinnen?|kan ik de boeken telefonisch verlengen|Halen jullie gratis oude meubels op?|ik heb geen bevestiging per mail gekregen
Is het veilig parkeren in die straat?|mijn fiets heeft een lekke band|Welke kleren moet ik meenemen daarheen?|ik ben allergisch voor alle noten
Wat kost de kaart voor tien keer?|is er een lift naar boven|Kunnen we de tijd van de les verzetten?|wij willen daar een verjaardag vieren
Doet zo'n behandeling erg veel pijn?|mogen honden aangelijnd naar binnen|Werken jullie met tweedehands onderdelen?|sturen jullie de offerte per mail
Sinds wanneer is die weg dicht?|kun je het eerst even proberen|Waar laat ik mijn lege batterijen?|is er wifi in de wachtkamer
Wie kan dit formulier voor me tekenen?|moet je heel goed kunnen zwemmen|Hoe lang van tevoren moet ik afmelden?|mijn ledenpas is vorige maand verlopen`,
  de: `
Haben Sie auch am Wochenende offen?|was kostet bei ihnen eine zahnreinigung|Kann ich ein Fahrrad stundenweise mieten?|ich muss meinen bibliotheksausweis verlängern
Hat das Fitnessstudio ein überdachtes Schwimmbad?|wo gebe ich die unterlagen ab|Reparieren Sie tropfende Wasserhähne zu Hause?|mir ist gestern ein zahn abgebrochen
Wie viele Leute passen in den Saal?|welche papiere brauche ich zum anmelden|Gibt es Rabatt für Studenten und Rentner?|ist der helm im preis dabei
Muss ich vorher einen Termin machen?|koennen sie mich morgen nachmittag anrufen|Wann fängt der nächste Intensivkurs an?|die heizung geht seit gestern nicht
Darf mein Sohn auch mitkommen?|bis wann kommt man noch rein|Nehmen Sie die Versicherung meiner Firma?|ich möchte über eine falsche rechnung reden
Verkaufen Sie Karten auch am Eingang?|wie komme ich vom bahnhof hin|Haben Sie montags auch glutenfreies Essen?|ich habe den schlüssel vom schloss verloren
Was passiert, wenn es dann regnet?|wie lange kann ich was reklamieren|Machen Sie unverbindliche Kostenvoranschläge vor Ort?|kann ich meinen koffer hier lassen
Darf man drinnen eigentlich Fotos machen?|ich brauche eine bescheinigung vom arzttermin|Haben Sie Sitze für kleine Kinder?|wie lange dauert die jährliche kontrolle
Bekommt man bei der Behandlung eine Betäubung?|ab welchem alter darf man mitmachen|Kriege ich Geld zurück bei Absage?|wer ist bei euch für die werkstatt zuständig
Gibt es einen Tarif für Familien?|kann ich die bücher telefonisch verlängern|Holen Sie alte Möbel kostenlos ab?|ich habe keine bestätigung per mail bekommen
Kann man in der Straße sicher parken?|mein fahrrad hat einen platten reifen|Welche Kleidung soll ich dafür mitbringen?|ich bin gegen alle nüsse allergisch
Was kostet die Karte für zehn Besuche?|gibt es einen aufzug nach oben|Können wir die Uhrzeit vom Kurs verschieben?|wir wollen dort einen geburtstag feiern
Tut so eine Behandlung sehr weh?|duerfen hunde angeleint mit rein|Arbeiten Sie mit gebrauchten Ersatzteilen?|schicken sie das angebot per mail
Seit wann ist die Straße gesperrt?|kann man das vor dem kauf testen|Wohin kommen die leeren Batterien?|habt ihr wlan im wartezimmer
Wer kann mir dieses Formular unterschreiben?|muss man dafür sehr gut schwimmen|Wie früh muss ich Bescheid sagen?|meine mitgliedskarte ist letzten monat abgelaufen`,
  fr: `
Êtes-vous aussi ouverts le week-end ?|combien coute un detartrage chez vous|Puis-je louer un vélo à l'heure ?|je dois renouveler ma carte de bibliothèque
La salle a-t-elle une piscine couverte ?|où déposer les papiers pour l'inscription|Réparez-vous les robinets qui fuient ?|je me suis cassé une dent
Combien de personnes tiennent dans la salle ?|quels papiers faut il pour s inscrire|Y a-t-il une réduction pour les étudiants ?|le casque est-il compris dans le prix
Faut-il prendre rendez-vous à l'avance ?|pouvez vous m appeler demain apres midi|Quand commence le prochain stage intensif ?|le chauffage ne marche plus depuis hier
Mon fils peut-il venir avec moi ?|jusqu a quelle heure peut on entrer|Prenez-vous la mutuelle de mon entreprise ?|je voudrais parler d'une facture erronée
Vendez-vous aussi des billets à l'entrée ?|comment venir depuis la gare centrale|Servez-vous du sans gluten le lundi ?|j'ai perdu les clés de l'antivol
Que se passe-t-il s'il pleut alors ?|quel est le delai pour reclamer|Faites-vous des devis sans engagement ?|puis-je laisser ma grosse valise ici
Peut-on prendre des photos à l'intérieur ?|il me faut un justificatif de visite|Avez-vous des sièges pour les petits ?|combien de temps dure le contrôle annuel
Faites-vous une anesthésie pour ce soin ?|a partir de quel age vient on|Suis-je remboursé si j'annule avant ?|qui est responsable de votre atelier
Existe-t-il un tarif pour les familles ?|puis je prolonger les livres par telephone|Enlevez-vous les vieux meubles à domicile ?|je n'ai pas reçu l'e-mail de confirmation
Est-ce sûr de se garer là ?|mon velo a un pneu creve|Quels vêtements dois-je prendre pour commencer ?|je suis allergique aux fruits à coque
Combien coûte la carte de dix entrées ?|y a t il un ascenseur la bas|Peut-on décaler l'heure de la séance ?|nous voulons y fêter un anniversaire
Est-ce que ce genre de soin fait mal ?|les chiens peuvent ils entrer en laisse|Travaillez-vous avec des pièces d'occasion ?|envoyez-vous le devis par courrier électronique
Depuis quand cette route est-elle fermée ?|peut on essayer avant d acheter|Où jeter mes piles déjà usées ?|avez-vous le wifi en salle d'attente
Qui peut me signer ce formulaire ?|faut-il savoir très bien nager|Combien de temps avant dois-je prévenir ?|ma carte de membre a expiré`
}

/** Each language's questions; those at odd indexes were not looked at while the tables were made. */
export const SIX_WORDS = new Map(Object.entries(QUESTIONS).map(([language, questions]) =>
  [language, questions.trim().split(/[|\n]/).map((question) => question.trim())] as const))
