# sdcMicro's local suppression of all columns of a CSV file. Arguments: folder of sdcMicro's source, in, k, alpha, out.
# Only the files that it is made of are loaded, so that the many packages that sdcMicro imports need not be there.
arguments <- commandArgs(TRUE)
suppressMessages({library(data.table); library(Rcpp); library(methods)})
source_of <- function(...) file.path(arguments[1], ...)
sourceCpp(source_of("src", "calcSuppInds.cpp"))
source(source_of("R", "freqCalc.r"))
source(source_of("R", "indivRisk.R"))
for (expression in parse(source_of("R", "localSuppression.R"))) {
  if (is.call(expression) && identical(expression[[1]], as.name("<-")) && identical(expression[[2]], as.name("suppSubset"))) {
    eval(expression)
  }
}
table <- read.csv(arguments[2], colClasses = "character", na.strings = character(0), check.names = FALSE)
table <- as.data.table(lapply(table, factor))
values <- sapply(table, nlevels)
importance <- match(names(values), names(sort(values)))  # sdcMicro's own default
result <- suppSubset(table, as.integer(arguments[3]), importance, as.numeric(arguments[4]))
fwrite(result$xAnon, arguments[5], na = "")
