/** C1 controls, marks without width, and what turns the direction of reading around; not what joins letters and emoji. */
const UNSEEN = /[\u0080-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** What would show nothing, or make other text look like what it is not, as an escape. Inside JSON it means the same. */
export const visibleText = (text: string): string =>
  text.replace(UNSEEN, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
