// The templates of htm are no HTML to prettier: they stay as they are written.
export default {
  printWidth: 120,
  singleQuote: true,
  embeddedLanguageFormatting: 'off',
};
