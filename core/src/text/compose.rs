//! A letter and the mark behind it, as one letter: the part of Unicode's canonical composition that names need.
//!
//! Lower case only (names are folded first): Latin, Greek, Cyrillic, Arabic, the scripts of India, Kana; Hangul by rule.
//! The whole of NFC would bring a hundred kilobytes of tables into every page; these are three.

/// For each mark, the letters that it joins: base, then base and mark in one, and so on.
const JOINED: &[(char, &str)] = &[
    ('\u{0300}', "aàeèiìoòuùüǜnǹеѐиѝēḕōṑwẁâầăằêềôồơờưừyỳ"),
    (
        '\u{0301}',
        "aáeéiíoóuúyýcćlĺnńrŕsśzźüǘgǵåǻæǽøǿ\u{a8}\u{385}ϊΐαάεέηήιίϋΰοόυύωώϒϓгѓкќçḉēḗïḯkḱmḿõṍōṓpṕũṹ\
         wẃâấăắêếôốơớưứ",
    ),
    ('\u{0302}', "aâeêiîoôuûcĉgĝhĥjĵsŝwŵyŷzẑạậẹệọộ"),
    ('\u{0303}', "aãnñoõiĩuũvṽâẫăẵeẽêễôỗơỡưữyỹ"),
    ('\u{0304}', "aāeēiīoōuūüǖäǟȧǡæǣǫǭöȫõȭȯȱyȳиӣуӯgḡḷḹṛṝ"),
    ('\u{0306}', "aăeĕgğiĭoŏuŭийуўжӂаӑеӗȩḝạặ"),
    ('\u{0307}', "cċeėgġzżaȧoȯbḃdḋfḟhḣmṁnṅpṗrṙsṡśṥšṧṣṩtṫwẇxẋyẏſẛ"),
    ('\u{0308}', "aäeëiïoöuüyÿιϊυϋϒϔеёіїаӓәӛжӝзӟиӥоӧөӫэӭуӱчӵыӹhḧõṏūṻwẅxẍtẗ"),
    ('\u{0309}', "aảâẩăẳeẻêểiỉoỏôổơởuủưửyỷ"),
    ('\u{030a}', "aåuůwẘyẙ"),
    ('\u{030b}', "oőuűуӳ"),
    ('\u{030c}', "cčdďeělľnňrřsštťzžaǎiǐoǒuǔüǚgǧkǩʒǯjǰhȟ"),
    ('\u{030f}', "aȁeȅiȉoȍrȑuȕѵѷ"),
    ('\u{0311}', "aȃeȇiȋoȏrȓuȗ"),
    ('\u{031b}', "oơuưòờùừóớúứõỡũữỏởủửọợụự"),
    ('\u{0323}', "bḅdḍhḥkḳlḷmṃnṇrṛsṣtṭvṿwẉzẓaạeẹiịoọơợuụưựyỵâậêệôộăặṡṩ"),
    ('\u{0324}', "uṳ"),
    ('\u{0325}', "aḁ"),
    ('\u{0326}', "sștț"),
    ('\u{0327}', "cçgģkķlļnņrŗsştţeȩdḑhḩćḉĕḝ"),
    ('\u{0328}', "aąeęiįuųoǫōǭ"),
    ('\u{032d}', "dḓeḙlḽnṋtṱuṷ"),
    ('\u{032e}', "hḫ"),
    ('\u{0330}', "eḛiḭuṵ"),
    ('\u{0331}', "bḇdḏkḵlḻnṉrṟtṯzẕhẖ"),
    ('\u{0653}', "\u{627}\u{622}"),
    ('\u{0654}', "\u{627}\u{623}\u{648}\u{624}\u{64a}\u{626}\u{6d5}\u{6c0}\u{6c1}\u{6c2}\u{6d2}\u{6d3}"),
    ('\u{0655}', "\u{627}\u{625}"),
    ('\u{093c}', "नऩरऱळऴ"),
    ('\u{09be}', "\u{9c7}\u{9cb}"),
    ('\u{09d7}', "\u{9c7}\u{9cc}"),
    ('\u{0b3e}', "\u{b47}\u{b4b}"),
    ('\u{0b56}', "\u{b47}\u{b48}"),
    ('\u{0b57}', "\u{b47}\u{b4c}"),
    ('\u{0bbe}', "\u{bc6}\u{bca}\u{bc7}\u{bcb}"),
    ('\u{0bd7}', "ஒஔ\u{bc6}\u{bcc}"),
    ('\u{0c56}', "\u{c46}\u{c48}"),
    ('\u{0cc2}', "\u{cc6}\u{cca}"),
    ('\u{0cd5}', "\u{cbf}\u{cc0}\u{cc6}\u{cc7}\u{cca}\u{ccb}"),
    ('\u{0cd6}', "\u{cc6}\u{cc8}"),
    ('\u{0d3e}', "\u{d46}\u{d4a}\u{d47}\u{d4b}"),
    ('\u{0d57}', "\u{d46}\u{d4c}"),
    ('\u{0dca}', "\u{dd9}\u{dda}\u{ddc}\u{ddd}"),
    ('\u{0dcf}', "\u{dd9}\u{ddc}"),
    ('\u{0ddf}', "\u{dd9}\u{dde}"),
    ('\u{102e}', "ဥဦ"),
    (
        '\u{1b35}',
        "ᬅᬆᬇᬈᬉᬊᬋᬌᬍᬎᬑᬒ\u{1b3a}\u{1b3b}\u{1b3c}\u{1b3d}\u{1b3e}\u{1b40}\u{1b3f}\u{1b41}\
         \u{1b42}\u{1b43}",
    ),
    (
        '\u{3099}',
        "かがきぎくぐけげこごさざしじすずせぜそぞただちぢつづてでとどはばひびふぶへべほぼうゔゝゞカガキギクグケゲコゴサザシジスズセゼソゾタダチヂツヅテデトドハバヒビフブヘベホボウヴワヷヰヸ\
         ヱヹヲヺヽヾ",
    ),
    ('\u{309a}', "はぱひぴふぷへぺほぽハパヒピフプヘペホポ"),
];

/// Joins `mark` to the letter before it; `None` where the two stay apart.
pub(super) fn compose(base: char, mark: char) -> Option<char> {
    hangul(base, mark).or_else(|| joined(base, mark))
}

fn joined(base: char, mark: char) -> Option<char> {
    let place = JOINED.binary_search_by_key(&mark, |(mark, _)| *mark).ok()?;
    let mut letters = JOINED[place].1.chars();
    while let (Some(left), Some(both)) = (letters.next(), letters.next()) {
        if left == base {
            return Some(both);
        }
    }
    None
}

const LEAD: u32 = 0x1100;
const VOWEL: u32 = 0x1161;
const TAIL: u32 = 0x11A7;
const SYLLABLE: u32 = 0xAC00;
const VOWELS: u32 = 21;
const TAILS: u32 = 28;

fn hangul(base: char, next: char) -> Option<char> {
    let (base, next) = (u32::from(base), u32::from(next));
    if (LEAD..LEAD + 19).contains(&base) && (VOWEL..VOWEL + VOWELS).contains(&next) {
        return char::from_u32(SYLLABLE + ((base - LEAD) * VOWELS + (next - VOWEL)) * TAILS);
    }
    let open_syllable =
        (SYLLABLE..SYLLABLE + 11_172).contains(&base) && (base - SYLLABLE).is_multiple_of(TAILS);
    if open_syllable && (TAIL + 1..TAIL + TAILS).contains(&next) {
        return char::from_u32(base + (next - TAIL));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_sorted() {
        assert!(JOINED.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }

    #[test]
    fn letters_join_as_the_standard_says() {
        use unicode_normalization::UnicodeNormalization;
        for (mark, letters) in JOINED {
            let letters: Vec<char> = letters.chars().collect();
            for pair in letters.chunks(2) {
                let standard: String = [pair[0], *mark].into_iter().nfc().collect();
                assert_eq!(standard, pair[1].to_string(), "{} + U+{:04X}", pair[0], u32::from(*mark));
            }
        }
    }

    #[test]
    fn hangul_by_rule() {
        let mut syllable = None;
        for jamo in "\u{1112}\u{1161}\u{11ab}".chars() {
            syllable = syllable.map_or(Some(jamo), |base| compose(base, jamo));
        }
        assert_eq!(syllable, Some('한'));
    }
}
