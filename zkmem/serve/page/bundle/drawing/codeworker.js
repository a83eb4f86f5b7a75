import{highlighter}from"../vendor/code.js";self.addEventListener("message",({data})=>{let{source,language}=data,isKnown=highlighter.
getLanguage(language);self.postMessage({html:isKnown?highlighter.highlight(source,{language,ignoreIllegals:!0}).value:""})});
self.postMessage("ready");
