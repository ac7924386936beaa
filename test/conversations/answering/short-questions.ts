/**
 * Questions of about six words, as they are typed to a shop: with and without punctuation, mistyped, polite, impatient.
 * Every second one of a language (the odd indexes, from 0) was held out from the tables until they were done.
 */
const QUESTIONS = {
  es: `
¿Cuánto tarda en llegar mi pedido?|donde puedo ver mis facturas antiguas|¿Tienen zapatos de la talla cuarenta?|quiero cambiar la fecha de entrega
¿Se puede pagar con tarjeta allí?|mi paquete todavía no ha llegado|¿Hacen envíos a las islas Canarias?|como cancelo la reserva del sábado
¿Aceptan perros en las habitaciones dobles?|necesito una copia de mi recibo|¿A qué hora abren los domingos?|el cupón de descuento no funciona
¿Qué incluye el curso de cerámica?|podrian enviarme otra talla mas grande|¿Hay aparcamiento cerca de la tienda?|olvidé la contraseña de mi cuenta
¿Cuál es el precio con impuestos?|cuando vuelve a estar disponible esto|¿Puedo recogerlo yo mismo en tienda?|no encuentro el número de seguimiento
¿Dan garantía para los relojes usados?|cuantos dias tengo para devolver algo|¿Trabajan también los días de fiesta?|hola, ¿está abierto hoy por favor?`,
  pt: `
Quanto tempo demora a entrega normal?|onde posso ver as minhas faturas|Vocês têm sapatos tamanho quarenta e dois?|quero mudar a data da entrega
Posso pagar com cartão na loja?|a minha encomenda ainda não chegou|Fazem entregas para os Açores também?|como cancelo a reserva de sábado
Aceitam cães nos quartos de casal?|preciso de uma cópia do recibo|A que horas abrem ao domingo?|o cupão de desconto não funciona
O que inclui o curso de cerâmica?|podiam enviar-me um tamanho maior|Há estacionamento perto da vossa loja?|esqueci a senha da minha conta
Qual é o preço com imposto?|quando volta a estar disponível isso|Posso levantar a encomenda na loja?|nao encontro o numero de rastreio
Dão garantia para os relógios usados?|quantos dias tenho para devolver algo|Trabalham também nos dias de feriado?|olá, está aberto hoje por favor?`,
  it: `
Quanto tempo ci vuole per la consegna?|dove posso vedere le mie fatture|Avete scarpe della taglia quaranta due?|voglio cambiare la data di consegna
Si può pagare con la carta lì?|il mio pacco non è ancora arrivato|Spedite anche in Sicilia e Sardegna?|come annullo la prenotazione di sabato
Accettate cani nelle camere doppie?|ho bisogno di una copia della ricevuta|A che ora aprite la domenica?|il codice sconto non funziona più
Che cosa include il corso di ceramica?|potete mandarmi una taglia più grande|C'è un parcheggio vicino al negozio?|ho dimenticato la password del mio account
Qual è il prezzo con l'iva?|quando sara di nuovo disponibile questo|Posso ritirare l'ordine in negozio?|non trovo il numero di spedizione
Date garanzia sugli orologi usati?|quanti giorni ho per restituire qualcosa|Lavorate anche nei giorni di festa?|salve, siete aperti oggi per favore?`,
  ro: `
Cât durează până ajunge comanda mea?|unde pot vedea facturile mele vechi|Aveți pantofi mărimea patruzeci și doi?|vreau să schimb data de livrare
Se poate plăti cu cardul acolo?|coletul meu încă nu a ajuns|Livrați și în Republica Moldova?|cum anulez rezervarea de sambata
Acceptați câini în camerele duble?|am nevoie de o copie a facturii|La ce oră deschideți duminica?|codul de reducere nu functioneaza
Ce include cursul de ceramică?|puteti sa imi trimiteti alta marime|Există parcare lângă magazinul vostru?|am uitat parola de la cont
Care este prețul cu TVA?|cand va fi din nou disponibil|Pot ridica comanda personal din magazin?|nu gasesc numarul de urmarire
Oferiți garanție pentru ceasuri folosite?|cate zile am pentru retur|Lucrați și în zilele de sărbătoare?|bună, este deschis astăzi vă rog?`,
  tr: `
Siparişim ne kadar sürede gelir acaba?|eski faturalarımı nerede görebilirim|Kırk iki numara ayakkabı var mı?|teslimat tarihini değiştirmek istiyorum lütfen
Orada kartla ödeme yapabilir miyim?|paketim hala elime ulaşmadı ne zaman|Kıbrıs'a da gönderim yapıyor musunuz?|cumartesi rezervasyonumu nasil iptal ederim
Çift kişilik odalara köpek alıyor musunuz?|faturamın bir kopyasına ihtiyacım var|Pazar günleri saat kaçta açılıyorsunuz?|indirim kodu bir türlü çalışmıyor
Seramik kursuna neler dahil oluyor?|daha buyuk bir beden gonderir misiniz|Dükkanın yakınında otopark var mı?|hesabımın şifresini unuttum ne yapmalıyım
Vergiler dahil fiyatı ne kadar?|bu urun ne zaman tekrar gelecek|Siparişi mağazadan kendim alabilir miyim?|kargo takip numarasini bulamiyorum nerede
Kullanılmış saatler için garanti veriyor musunuz?|iade icin kac gunum var|Bayram günlerinde de çalışıyor musunuz?|merhaba, bugün açık mısınız lütfen?`,
  no: `
Hvor lang tid tar leveringen vanligvis?|hvor kan jeg se fakturaene mine|Har dere sko i størrelse førti?|jeg vil endre datoen for levering
Kan man betale med kort der?|pakken min har ikke kommet ennå|Sender dere også til Svalbard da?|hvordan avbestiller jeg timen på lørdag
Er det lov med hund på rommet?|jeg trenger en kopi av kvitteringen|Når åpner dere på søndager egentlig?|rabattkoden virker ikke når jeg betaler
Hva er inkludert i keramikkurset deres?|kan dere sende meg en større|Finnes det parkering i nærheten av butikken?|jeg har glemt passordet mitt igjen
Hva koster det med moms da?|nar blir denne tilgjengelig igjen hos dere|Kan jeg hente varen selv i butikken?|jeg finner ikke sporingsnummeret noe sted
Gir dere garanti på brukte klokker?|hvor mange dager har jeg til retur|Har dere åpent på helligdager også?|hei, er det åpent i dag?`,
  pl: `
Ile trwa dostawa do mojego miasta?|gdzie mogę zobaczyć stare faktury|Czy macie buty w rozmiarze czterdzieści?|chcę zmienić datę dostawy zamówienia
Czy można tam zapłacić kartą?|moja paczka jeszcze nie dotarła|Czy wysyłacie także na Litwę?|jak anulowac rezerwacje na sobote
Czy przyjmujecie psy w pokojach dwuosobowych?|potrzebuję kopii mojego rachunku proszę|O której otwieracie w niedzielę rano?|kod rabatowy w ogóle nie działa
Co obejmuje kurs ceramiki dla początkujących?|czy mozecie wyslac mi wiekszy rozmiar|Czy jest parking blisko waszego sklepu?|zapomniałem hasła do mojego konta
Jaka jest cena razem z podatkiem?|kiedy to bedzie znowu dostepne|Czy mogę odebrać osobiście w sklepie?|nie moge znalezc numeru przesylki
Czy dajecie gwarancję na używane zegarki?|ile dni mam na zwrot towaru|Czy pracujecie także w dni świąteczne?|dzień dobry, czy dzisiaj jest otwarte?`,
  nl: `
Hoe lang duurt de levering normaal?|waar kan ik mijn facturen zien|Hebben jullie schoenen in maat veertig?|ik wil de bezorgdatum graag wijzigen
Kun je daar met pin betalen?|mijn pakket is nog niet aangekomen|Verzenden jullie ook naar de Waddeneilanden?|hoe annuleer ik de reservering zaterdag
Zijn honden toegestaan op de kamers?|ik heb een kopie van de bon nodig|Hoe laat gaan jullie zondag open?|de kortingscode werkt helaas niet meer
Wat is inbegrepen bij de keramiekcursus?|kunnen jullie een grotere maat sturen|Is er parkeergelegenheid bij de winkel?|ik ben mijn wachtwoord weer vergeten
Wat is de prijs inclusief btw?|wanneer is dit weer op voorraad|Kan ik de bestelling zelf ophalen?|ik vind het volgnummer nergens terug
Geven jullie garantie op gebruikte horloges?|hoeveel dagen heb ik om te retourneren|Werken jullie ook op de feestdagen?|hallo, zijn jullie vandaag open alstublieft?`,
  de: `
Wie lange dauert die Lieferung normalerweise?|wo kann ich meine alten rechnungen sehen|Haben Sie Schuhe in Größe vierzig?|ich möchte das lieferdatum gerne ändern
Kann man dort mit Karte zahlen?|mein paket ist noch nicht angekommen|Liefern Sie auch in die Schweiz?|wie storniere ich den termin samstag
Sind Hunde in den Doppelzimmern erlaubt?|ich brauche eine kopie der quittung|Wann machen Sie sonntags morgens auf?|der rabattcode funktioniert leider gar nicht
Was ist im Töpferkurs alles enthalten?|koennen sie mir eine groessere schicken|Gibt es Parkplätze beim Laden dort?|ich habe mein passwort schon wieder vergessen
Was kostet das mit Mehrwertsteuer insgesamt?|wann ist das wieder auf lager|Kann ich die Bestellung selbst abholen?|ich finde die sendungsnummer nirgends mehr
Geben Sie Garantie auf gebrauchte Uhren?|wie viele tage habe ich zur rückgabe|Arbeiten Sie auch an den Feiertagen?|hallo, haben sie heute geöffnet bitte?`,
  fr: `
Combien de temps prend la livraison ?|où puis-je voir mes anciennes factures|Avez-vous des chaussures en taille quarante ?|je veux changer la date de livraison
Peut-on payer par carte chez vous ?|mon colis n'est toujours pas arrivé|Livrez-vous aussi en Corse et ailleurs ?|comment annuler la reservation de samedi
Acceptez-vous les chiens dans les chambres ?|j'ai besoin d'une copie du reçu|À quelle heure ouvrez-vous le dimanche ?|le code promo ne marche pas
Que comprend le cours de poterie ?|pouvez vous m envoyer une taille au dessus|Y a-t-il un parking près du magasin ?|j'ai oublié le mot de passe
Quel est le prix toutes taxes comprises ?|quand est ce que ce sera disponible|Puis-je retirer ma commande en magasin ?|je ne trouve pas le numero de suivi
Donnez-vous une garantie sur les montres ?|combien de jours pour un retour|Travaillez-vous aussi les jours fériés là-bas ?|bonjour, êtes-vous ouverts aujourd'hui s'il vous plaît ?`,
  en: `
How long does delivery usually take?|where can I see my old invoices|Do you have shoes in size nine?|i want to change the delivery date
Can you pay by card there?|my parcel still has not arrived|Do you ship to Northern Ireland?|how do i cancel my saturday booking
Are dogs allowed in double rooms?|i need a copy of the receipt|What time do you open Sundays?|the discount code does not work
What is included in the course?|could you send a bigger size|Is there parking near the shop?|i forgot the password for my account
What is the price with tax?|when will this be available again|Can I collect the order myself?|i cannot find the tracking number
Do you give guarantees on watches?|how many days for a return|Do you work on bank holidays?|hello, are you open today please?`,
  sv: `
Hur lång tid tar leveransen normalt?|var kan jag se mina fakturor|Har ni skor i storlek fyrtio?|jag vill ändra datumet för leveransen
Kan man betala med kort där?|mitt paket har inte kommit än|Skickar ni även till Gotland nu?|hur avbokar jag tiden på lördag
Får man ha hund på rummet?|jag behöver en kopia av kvittot|Vilken tid öppnar ni på söndagar?|rabattkoden fungerar inte alls för mig`,
  da: `
Hvor lang tid tager leveringen normalt?|hvor kan jeg se mine fakturaer|Har I sko i størrelse fyrre?|jeg vil gerne ændre datoen for levering
Kan man betale med kort hos jer?|min pakke er ikke kommet endnu|Sender I også til Bornholm mon?|hvordan afbestiller jeg tiden på lørdag
Må man have hund på værelset?|jeg har brug for en kopi af kvitteringen|Hvornår åbner I om søndagen?|rabatkoden virker ikke når jeg betaler`
}

/** By language, ISO 639-1. */
export const SHORT_QUESTIONS = new Map(Object.entries(QUESTIONS).map(([language, all]) => [
  language, all.split(/[|\n]/).filter(Boolean)
]))
