import"./parts.js";import"./main.js";import{TurndownService,gfm}from"./vendor/turndown.js";var LIGHT=/font-weight:\s*(?:normal|[1-4]00)\b/,service=new TurndownService(
{headingStyle:"atx",hr:"---",bulletListMarker:"-",codeBlockStyle:"fenced",emDelimiter:"*"});service.use(gfm);service.remove(
["script","style","meta","title","link","noscript"]);service.addRule("not bold",{filter:node=>/^(?:B|STRONG)$/.test(node.
nodeName)&&LIGHT.test(node.dataset.style??""),replacement:content=>content});service.addRule("item",{filter:node=>node.nodeName===
"LI",replacement:(content,node)=>{let list=node.parentElement,at=list?[...list.children].indexOf(node):0,mark=list?.nodeName===
"OL"?`${Number(list.getAttribute("start")??1)+at}. `:"- ",text=content.trim().replace(/\n(?=.)/g,`
${" ".repeat(mark.length)}`);return`${mark}${text}${node.nextElementSibling?`
`:""}`}});service.addRule("pictures in place",{filter:node=>node.nodeName==="IMG"&&!/^https?:/i.test(node.getAttribute("src")??""),replacement:(_,node)=>node.getAttribute("alt")??""});service.addRule("links that lead nowhere",{filter:node=>node.
nodeName==="A"&&!/^(?:https?|mailto):/i.test(node.getAttribute("href")??""),replacement:content=>content});var fromHtml=body=>service.
turndown(body).replace(/\u00a0/g," ").trim();export{fromHtml};
